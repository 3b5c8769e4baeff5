import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { reap, sandboxKeys } from "@/api/queries/sandboxes";
import type { Swept } from "@/api/types";
import { countOf } from "@/features/sandboxes/labels";
import { SweptList } from "@/features/sandboxes/SweptList";
import { count } from "@/lib/format";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Failure } from "@/ui/states";

/** Lists sandboxes of dead processes, and removes them after a confirmation. */
export function Leftovers() {
  const client = useQueryClient();
  const [swept, setSwept] = useState<Swept | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const check = useMutation({
    mutationFn: () => reap(true),
    onMutate: () => setSwept(null),
    onSuccess: setSwept,
  });
  const remove = useMutation({
    mutationFn: () => reap(false),
    onSuccess: (result) => {
      setSwept(result);
      setConfirming(false);
    },
    onSettled: () => client.invalidateQueries({ queryKey: sandboxKeys.open }),
  });
  const removable = swept?.dry_run ? countOf(swept, "reaped") : 0;
  return (
    <div className="flex min-w-0 flex-col gap-3 border-t border-line pt-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <Button busy={check.isPending} disabled={remove.isPending} onClick={() => check.mutate()}>
          Check for leftovers
        </Button>
        {removable > 0 && (
          <Button look="danger" busy={remove.isPending} onClick={() => setConfirming(true)}>
            Remove them
          </Button>
        )}
        <p className="min-w-0 grow basis-60 text-xs text-muted">
          Sandboxes left by dead processes, on every backend that is set up. Workers check once a
          minute and remove them automatically.
        </p>
      </div>
      {check.error && <Failure error={check.error} />}
      {swept && <SweptList swept={swept} />}
      {isConfirming && (
        <ConfirmDialog
          title={`Remove ${count(removable, "leftover")}?`}
          verb="Remove"
          danger
          busy={remove.isPending}
          error={remove.error}
          act={() => remove.mutate()}
          close={() => setConfirming(false)}
        >
          <p className="text-soft">
            Checks again and removes sandboxes without a live process. Sandboxes of other
            installations are never touched.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

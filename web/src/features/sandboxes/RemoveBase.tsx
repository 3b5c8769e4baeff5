import { useMutation, useQueryClient } from "@tanstack/react-query";
import { removeBase, sandboxKeys } from "@/api/queries/sandboxes";
import type { BaseView } from "@/api/types";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Hostile } from "@/ui/Hostile";

export function RemoveBase({ base, close }: { base: BaseView; close: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeBase(base),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: sandboxKeys.bases }),
  });
  return (
    <ConfirmDialog
      title="Remove this base?"
      verb="Remove the base"
      danger
      busy={remove.isPending}
      error={remove.error}
      act={() => remove.mutate()}
      close={close}
    >
      <p className="[overflow-wrap:anywhere] text-soft">
        <Hostile text={base.key} />
      </p>
      <p className="text-soft">
        If a solve needs this base again, it is rebuilt, which takes as long as its set-up. Nothing
        else is lost.
      </p>
    </ConfirmDialog>
  );
}

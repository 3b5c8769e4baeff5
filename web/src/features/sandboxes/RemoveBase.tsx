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
      verb="Remove it"
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
        If a solve needs it again, it is built again, which takes the time of its set-up. Nothing
        else is lost.
      </p>
    </ConfirmDialog>
  );
}

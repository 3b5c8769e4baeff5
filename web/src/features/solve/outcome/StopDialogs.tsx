import { useState } from "react";
import type { LaneView, WatchedSolve } from "@/api/types";
import { useDismiss, useStopRun, useStopSolve } from "@/features/solve/useSolve";
import { count, money } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CONTROL, Field } from "@/ui/Field";

interface StopSolveProps {
  solveId: string;
  solve: WatchedSolve;
  close: () => void;
}

export function StopSolve({ solveId, solve, close }: StopSolveProps) {
  const stop = useStopSolve(solveId);
  const { queued, running, verifying } = solve.progress;
  return (
    <ConfirmDialog
      title="Stop this solve?"
      verb="Stop the solve"
      danger
      busy={stop.isPending}
      error={stop.error}
      act={() => stop.mutate(undefined, { onSuccess: close })}
      close={close}
    >
      <p className="text-soft">
        {count(queued + running + verifying, "run")} will end within seconds. Their trajectories are
        kept, the {money(solve.cost_usd)} already spent is not returned, and no champion is chosen.
      </p>
    </ConfirmDialog>
  );
}

interface StopRunProps {
  solveId: string;
  lane: LaneView;
  close: () => void;
}

export function StopRun({ solveId, lane, close }: StopRunProps) {
  const stop = useStopRun(solveId);
  return (
    <ConfirmDialog
      title={`Stop ${shown(lane.handle)}?`}
      verb="Stop the run"
      danger
      busy={stop.isPending}
      error={stop.error}
      act={() => stop.mutate(lane, { onSuccess: close })}
      close={close}
    >
      <p className="text-soft">
        The run is at step {lane.steps} and has cost {money(lane.cost_usd)}. The other contestants
        keep running.
      </p>
    </ConfirmDialog>
  );
}

export function DismissDialog({ solveId, close }: { solveId: string; close: () => void }) {
  const dismiss = useDismiss(solveId);
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      title="Dismiss this solve?"
      verb="Dismiss"
      busy={dismiss.isPending}
      error={dismiss.error}
      act={() => dismiss.mutate(reason.trim(), { onSuccess: close })}
      close={close}
    >
      <p className="text-soft">
        The solve is completed without taking a patch. Its runs, patches and logs are kept.
      </p>
      <Field label="Reason (optional, shown in the timeline)">
        {(wired) => (
          <input
            {...wired}
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
            className={CONTROL}
          />
        )}
      </Field>
    </ConfirmDialog>
  );
}

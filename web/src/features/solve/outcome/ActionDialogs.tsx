import type { LaneView, SolveView, WatchedSolve } from "@/api/types";
import { ApplyDialog } from "@/features/solve/outcome/ApplyDialog";
import { branchFor } from "@/features/solve/outcome/decision";
import { DismissDialog, StopRun, StopSolve } from "@/features/solve/outcome/StopDialogs";

/** An action that waits for confirmation in a dialog. */
export type PendingAction = null | "stop" | "apply" | "dismiss" | { run: LaneView };

interface Props {
  solveId: string;
  solve: WatchedSolve;
  champion: LaneView | undefined;
  facts: SolveView | undefined;
  pending: PendingAction;
  ask: (pending: PendingAction) => void;
}

export function ActionDialogs({ solveId, solve, champion, facts, pending, ask }: Props) {
  const close = () => ask(null);
  if (pending === "stop") return <StopSolve solveId={solveId} solve={solve} close={close} />;
  if (pending === "dismiss") return <DismissDialog solveId={solveId} close={close} />;
  if (pending === "apply" && champion && facts?.solve.folder) {
    return (
      <ApplyDialog
        solveId={solveId}
        runId={champion.id}
        handle={champion.handle}
        folder={facts.solve.folder}
        branchName={branchFor(facts)}
        close={close}
      />
    );
  }
  if (pending && typeof pending === "object") {
    return <StopRun solveId={solveId} lane={pending.run} close={close} />;
  }
  return null;
}

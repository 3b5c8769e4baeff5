import type { LaneView, SolveView, WatchedSolve } from "@/api/types";
import { ApplyDialog } from "@/features/solve/outcome/ApplyDialog";
import { branchFor } from "@/features/solve/outcome/decision";
import { DismissDialog, StopRun, StopSolve } from "@/features/solve/outcome/StopDialogs";

/** What a person is asked before it is done. */
export type PendingAction = null | "stop" | "apply" | "dismiss" | { run: LaneView };

interface Props {
  solveId: string;
  solve: WatchedSolve;
  champion: LaneView | undefined;
  facts: SolveView | undefined;
  asked: PendingAction;
  ask: (asked: PendingAction) => void;
}

export function ActionDialogs({ solveId, solve, champion, facts, asked, ask }: Props) {
  const close = () => ask(null);
  if (asked === "stop") return <StopSolve solveId={solveId} solve={solve} close={close} />;
  if (asked === "dismiss") return <DismissDialog solveId={solveId} close={close} />;
  if (asked === "apply" && champion && facts?.solve.folder) {
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
  if (asked && typeof asked === "object") {
    return <StopRun solveId={solveId} lane={asked.run} close={close} />;
  }
  return null;
}

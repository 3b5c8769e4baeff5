import { useQuery } from "@tanstack/react-query";
import { patchQuery } from "@/api/queries/runs";
import type { LaneView, WatchedSolve } from "@/api/types";
import { DiffView } from "@/features/diff/DiffView";
import { Scorecard } from "@/features/solve/outcome/Scorecard";
import { EvidenceTabs } from "@/features/solve/panels/EvidenceTabs";
import { IssueText, Undecided } from "@/features/solve/panels/IssueText";
import { PatchPicker } from "@/features/solve/panels/PatchPicker";
import { EventList } from "@/features/solve/timeline/EventList";
import type { useSolve, useSolveUrl } from "@/features/solve/useSolve";
import { VerificationView } from "@/features/verification/VerificationView";
import { Failure, Skeleton } from "@/ui/states";

interface Props {
  solveId: string;
  url: ReturnType<typeof useSolveUrl>;
  loaded: ReturnType<typeof useSolve>;
  solve: WatchedSolve;
  hot: string;
  heat: (runId: string) => void;
  diff: (runId: string) => void;
}

/** The evidence for the decision, one view at a time. */
export function SolveEvidence({ solveId, url, loaded, solve, hot, heat, diff }: Props) {
  const { ranking, facts, watched } = loaded;
  const view = url.view ?? (ranking.length ? "scorecard" : "issue");
  const subject = watched.lanes.get(url.of ?? solve.champion ?? ranking[0]?.run_id ?? "");
  return (
    <EvidenceTabs view={view} choose={(next) => url.setView(next)}>
      {view === "scorecard" && (
        <Scorecard
          solveId={solveId}
          ranking={ranking}
          isRanked={loaded.isRanked}
          champion={solve.champion}
          notStarted={facts.data?.not_started ?? []}
          ended={facts.data?.budget_ended ?? ""}
          hot={hot}
          heat={heat}
          diff={diff}
        />
      )}
      {(view === "diff" || view === "verification") && (
        <PatchPicker
          ranking={ranking}
          champion={solve.champion}
          runId={subject?.id ?? ""}
          choose={(runId) => url.setView(view, runId)}
        />
      )}
      {view === "diff" && <Patch lane={subject} />}
      {view === "verification" &&
        (subject ? <VerificationView runId={subject.id} rev={subject.rev} /> : <Undecided />)}
      {view === "issue" && <IssueText facts={facts.data} />}
      {view === "events" && <EventList events={watched.events} lanes={watched.lanes} />}
    </EvidenceTabs>
  );
}

function Patch({ lane }: { lane: LaneView | undefined }) {
  const patch = useQuery({
    ...patchQuery(lane?.id ?? "", lane?.state ?? ""),
    enabled: lane !== undefined,
  });
  if (!lane) return <Undecided />;
  if (patch.isPending) return <Skeleton rows={8} label="Loading the diff" />;
  if (patch.isError) return <Failure error={patch.error} retry={() => void patch.refetch()} />;
  return (
    <DiffView patch={patch.data} label={lane.handle} download={`/api/runs/${lane.id}/patch`} />
  );
}

import { useMemo } from "react";
import { Link, useParams } from "react-router";
import { DiffView } from "@/features/diff/DiffView";
import { TrajectoryView } from "@/features/trajectory/TrajectoryView";
import { useTitle } from "@/lib/useTitle";
import { useUpdates } from "@/live/useUpdates";
import { StaleNotice } from "@/ui/StaleNotice";
import { Empty, Failure, Skeleton } from "@/ui/states";

export function Component() {
  const { solveId = "", runId = "" } = useParams();
  const open = useMemo(() => [runId], [runId]);
  const watched = useUpdates(solveId, open);
  const lane = watched.lanes.get(runId);
  useTitle(lane?.handle ?? "Trajectory");
  if (watched.isLoading) return <Skeleton rows={10} label="Loading the trajectory" />;
  if (!watched.solve && watched.error) {
    return <Failure error={watched.error} retry={watched.refetch} />;
  }
  if (!lane)
    return (
      <Empty
        page
        title="This solve has no such run"
        action={
          <Link to={`/solves/${solveId}`} className="text-second underline">
            Back to the solve
          </Link>
        }
      />
    );
  return (
    <div className="flex flex-col gap-3">
      {watched.error && (
        <StaleNotice
          at={watched.updatedAt}
          next={watched.failedAt + watched.retryMs}
          retry={watched.refetch}
        />
      )}
      <TrajectoryView
        key={runId}
        solveId={solveId}
        runId={runId}
        showDiff={(patch, label) => <DiffView patch={patch} label={label} />}
      />
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import { patchQuery } from "@/api/queries/runs";
import type { ShowDiff } from "@/features/trajectory/SidePanel";
import type { Run } from "@/features/trajectory/useRun";
import { shown } from "@/lib/hostile";
import { Empty, Skeleton } from "@/ui/states";

interface Props {
  runId: string;
  facts: Run;
  /** Renders the patch; missing where several runs are side by side. */
  showDiff: ShowDiff | undefined;
}

/** In place of the messages: the run's patch was there before the solve. */
export function GivenPatch({ runId, facts, showDiff }: Props) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Empty title="A patch that was given">
        {by(facts)}No agent ran for it, so there are no messages: it is only judged.
      </Empty>
      {showDiff && <Diff runId={runId} facts={facts} showDiff={showDiff} />}
    </div>
  );
}

function Diff({ runId, facts, showDiff }: Props & { showDiff: ShowDiff }) {
  const patch = useQuery({ ...patchQuery(runId, facts.lane?.state ?? ""), retry: false });
  if (patch.isPending) return <Skeleton rows={4} label="Loading the patch" />;
  if (!patch.data) return <p className="text-sm text-muted">{facts.lane?.error || "No patch."}</p>;
  return showDiff(patch.data, `the patch of ${shown(facts.lane?.handle ?? "the run")}`);
}

function by({ run }: Run): string {
  const author = run?.contestant.author;
  return author && author !== run.handle ? `By ${shown(author)}. ` : "";
}

/** Whether the run's patch was given, so that no agent ran and no model was called. */
export function isGiven({ run }: Run): boolean {
  return run?.contestant.agent === "patch";
}

import { useQuery } from "@tanstack/react-query";
import { memo, type ReactNode, useId } from "react";
import { Link } from "react-router";
import { ProblemError } from "@/api/problem";
import { type Log as Kind, logQuery } from "@/api/queries/runs";
import type { LaneView } from "@/api/types";
import { causeText } from "@/features/solve/runs/causes";
import type { Part } from "@/features/solve/runs/order";
import { shown } from "@/lib/hostile";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { Log } from "@/ui/Log";
import { StateBadge } from "@/ui/StateBadge";
import { Failure, Skeleton } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";

const PARTS: readonly { id: Part; name: string }[] = [
  { id: "trajectory", name: "Trajectory" },
  { id: "setup", name: "Setup" },
  { id: "baseline", name: "Baseline" },
  { id: "agent", name: "Agent" },
  { id: "test", name: "Tests" },
];

interface Props {
  solveId: string;
  lane: LaneView;
  part: Part;
  isChampion: boolean;
  show: (runId: string, part: Part) => void;
  close: (runId: string) => void;
  /** The trajectory. Passed in, because features do not import each other. */
  children: ReactNode;
}

/** One open run: its trajectory or one of its logs. */
export function RunPanel({ solveId, lane, part, isChampion, show, close, children }: Props) {
  const panel = useId();
  return (
    <article
      aria-label={shown(lane.handle)}
      className={`card flex h-[min(44rem,80dvh)] min-w-0 flex-col overflow-hidden ${isChampion ? "border-accent-text/60" : ""}`}
    >
      <div className="flex min-w-0 items-end gap-2 border-b border-line pr-1">
        <div className="-mb-px min-w-0 grow">
          <Tabs
            label={`Parts of ${shown(lane.handle)}`}
            tabs={PARTS}
            chosen={part}
            choose={(id) => show(lane.id, id)}
            panel={panel}
          />
        </div>
        <Button
          look="quiet"
          className="my-0.5 px-2"
          aria-label={`Close ${shown(lane.handle)}`}
          onClick={() => close(lane.id)}
        >
          ×
        </Button>
      </div>
      {lane.state === "failed" && <WhyFailed lane={lane} part={part} show={show} />}
      <div
        id={panel}
        role="tabpanel"
        className="relative flex min-h-0 grow flex-col gap-2 overflow-auto px-3 py-2"
      >
        {part === "trajectory" ? (
          children
        ) : (
          <>
            <LogHead {...{ solveId, lane, isChampion }} />
            <RunLog lane={lane} kind={part} />
          </>
        )}
      </div>
    </article>
  );
}

/** Matches the trajectory's header, so that nothing moves when the tab changes. */
function LogHead({ solveId, lane, isChampion }: Pick<Props, "solveId" | "lane" | "isChampion">) {
  return (
    <header className="flex flex-wrap items-baseline gap-x-3 text-xs">
      <h3 className="min-w-0 text-sm font-semibold break-words">
        {isChampion && (
          <span aria-hidden className="text-accent-text">
            ★{" "}
          </span>
        )}
        <Link to={`/solves/${solveId}/runs/${lane.id}`} className="hover:underline">
          <Hostile text={lane.handle} />
        </Link>
      </h3>
      <StateBadge state={lane.state} />
    </header>
  );
}

function WhyFailed({ lane, part, show }: Pick<Props, "lane" | "part" | "show">) {
  const cause = lane.cause && causeText(lane.cause);
  const words = cause?.words ?? "the run failed";
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-bad-ground px-3 py-2 text-sm">
      <p className="min-w-0 grow [overflow-wrap:anywhere]">
        <span className="text-bad">
          <span aria-hidden>✗ </span>
          {words}
        </span>
        {lane.error && lane.error !== words && (
          <span className="block text-xs text-soft">
            <Hostile text={lane.error} />
          </span>
        )}
      </p>
      {cause && cause.look !== part && (
        <Button onClick={() => show(lane.id, cause.look)}>{cause.next}</Button>
      )}
    </div>
  );
}

const NAMES: Record<Kind, string> = {
  setup: "the setup",
  baseline: "the tests before any change",
  agent: "the agent",
  test: "the tests",
};

const RunLog = memo(function RunLog({ lane, kind }: { lane: LaneView; kind: Kind }) {
  // Keyed without `rev`: a growing log is not fetched again at each step.
  const log = useQuery(logQuery(lane.id, kind, `${lane.attempt} ${lane.state}`));
  if (log.isPending) return <Skeleton rows={6} label={`Loading the log of ${NAMES[kind]}`} />;
  if (log.isError) return <NoLog error={log.error} kind={kind} retry={() => void log.refetch()} />;
  return (
    <Log
      text={log.data}
      label={`${NAMES[kind]}, ${shown(lane.handle)}`}
      href={`/api/runs/${lane.id}/logs/${kind}`}
      className="min-h-0 grow"
    />
  );
});

function NoLog({ error, kind, retry }: { error: Error; kind: Kind; retry: () => void }) {
  const isMissing = error instanceof ProblemError && error.status === 404;
  if (!isMissing) return <Failure error={error} retry={retry} />;
  return (
    <div className="flex flex-col items-center gap-2 p-6 text-center text-sm text-soft">
      <p>
        There is no log of {NAMES[kind]}: <Hostile text={error.message} />
      </p>
      <Button onClick={retry}>Try again</Button>
    </div>
  );
}

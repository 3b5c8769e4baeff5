import { Link } from "react-router";
import type { LaneView, SolveSummary } from "@/api/types";
import { duration, money } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { useNow } from "@/lib/useNow";
import { useUpdates } from "@/live/useUpdates";
import { Hostile } from "@/ui/Hostile";
import { StateBadge } from "@/ui/StateBadge";

const MOST_LANES = 12;

/** An active solve with one small lane per run. */
export function ActiveSolveCard({ solve, place }: { solve: SolveSummary; place: number }) {
  const live = useUpdates(solve.id);
  const now = (useNow(1000) + live.aheadMs) / 1000;
  const lanes = [...live.lanes.values()];
  const shownLanes = lanes.slice(0, MOST_LANES);
  const { progress } = live.solve ?? solve;
  const since = live.solve?.started_at ?? solve.started_at;
  return (
    <li className="card-live enter min-w-0" style={{ "--place": place } as React.CSSProperties}>
      <Link to={`/solves/${solve.id}`} className="flex min-w-0 flex-col gap-2 p-3">
        <div className="flex min-w-0 items-baseline justify-between gap-3">
          <h3 className="min-w-0 truncate text-sm font-semibold" title={shown(solve.issue)}>
            <Hostile text={solve.issue} />
          </h3>
          <span className="text-xs">
            <StateBadge state={live.solve?.state ?? solve.state} />
          </span>
        </div>
        <ul className="flex flex-col gap-1" aria-label="Contestants">
          {shownLanes.map((lane) => (
            <MiniLane key={lane.id} lane={lane} />
          ))}
        </ul>
        {lanes.length > MOST_LANES && (
          <p className="text-xs text-muted">and {lanes.length - MOST_LANES} more contestants</p>
        )}
        <p className="flex flex-wrap gap-x-4 text-xs text-muted tabular-nums">
          <span className="truncate">
            <Hostile text={solve.repo} />
          </span>
          <span>
            {progress.completed + progress.failed + progress.cancelled} of {progress.total} ended
          </span>
          <span>{money(live.solve?.cost_usd ?? solve.cost_usd)}</span>
          {since !== null && <span>{duration(now - since)}</span>}
        </p>
      </Link>
    </li>
  );
}

const COLOURS: Record<LaneView["state"], string> = {
  queued: "bg-line-strong",
  running: "bg-second",
  verifying: "bg-accent",
  completed: "bg-good",
  failed: "bg-bad",
  cancelled: "bg-muted",
};

function MiniLane({ lane }: { lane: LaneView }) {
  const isOver = ["completed", "failed", "cancelled", "verifying"].includes(lane.state);
  const share = isOver ? 100 : Math.min(100, (lane.steps / Math.max(1, lane.step_limit)) * 100);
  return (
    <li className="grid grid-cols-[minmax(0,11rem)_1fr_auto] items-center gap-2 text-xs">
      <span className="truncate text-soft" title={shown(lane.handle)}>
        <Hostile text={lane.handle} />
      </span>
      <span className="h-1.5 overflow-hidden rounded-full bg-raised" aria-hidden>
        <span
          className={`block h-full rounded-full transition-[width] duration-500 ${COLOURS[lane.state]}`}
          style={{ width: `${share}%` }}
        />
      </span>
      <span className="w-20 text-right text-muted tabular-nums">
        {lane.state === "running" ? `${lane.steps}/${lane.step_limit}` : lane.state}
      </span>
    </li>
  );
}

import type { LaneView, PlaceEntry, WatchedSolve } from "@/api/types";
import { AXES, type Axis, axisEnd, ticks } from "@/features/solve/runs/axis";
import { isOver, SORTS, type Sort, sharedEnd } from "@/features/solve/runs/order";
import { RunLane, WIDE } from "@/features/solve/runs/RunLane";
import { Legend } from "@/features/solve/runs/RunLaneBar";
import { useNow } from "@/lib/useNow";

interface Props {
  solveId: string;
  solve: WatchedSolve;
  lanes: readonly LaneView[];
  ranking: readonly PlaceEntry[];
  maxParallel: number | undefined;
  aheadMs: number;
  axis: Axis;
  sort: Sort;
  setAxis: (axis: Axis) => void;
  setSort: (sort: Sort) => void;
  open: readonly string[];
  picks: readonly string[];
  hot: string;
  toggle: (runId: string) => void;
  pick: (runId: string) => void;
  stop: (lane: LaneView) => void;
  heat: (runId: string) => void;
}

/** The lanes of all runs. Between two polls, only active lanes render again. */
export function RunLanes(props: Props) {
  const { solve, lanes, axis, ranking } = props;
  const isLive = lanes.some((lane) => lane.started_at !== null && !isOver(lane.state));
  const now = (useNow(1000, isLive) + props.aheadMs) / 1000;
  const end = axisEnd(lanes, axis, now);
  const shared = sharedEnd(lanes.map((lane) => lane.handle));
  const waits = waitsFor(solve, props.maxParallel);
  const whys = new Map(ranking.map((place) => [place.run_id, place.why]));
  return (
    <section aria-label="Lanes" className="card @container min-w-0 overflow-hidden">
      <Controls {...props} />
      <Heads end={end} axis={axis} />
      <ol className="divide-y divide-line">
        {lanes.map((lane, at) => (
          <RunLane
            key={lane.id}
            solveId={props.solveId}
            lane={lane}
            number={at + 1}
            axis={axis}
            end={end}
            now={isOver(lane.state) || lane.started_at === null ? 0 : now}
            shared={shared}
            why={whys.get(lane.id) ?? ""}
            waits={lane.state === "queued" ? waits : ""}
            isChampion={solve.champion === lane.id}
            isOpen={props.open.includes(lane.id)}
            isPicked={props.picks.includes(lane.id)}
            isHot={props.hot === lane.id}
            toggle={props.toggle}
            pick={props.pick}
            stop={props.stop}
            heat={props.heat}
          />
        ))}
      </ol>
      <div className="border-t border-line px-3 py-1.5">
        <Legend />
      </div>
    </section>
  );
}

function waitsFor({ progress, state }: WatchedSolve, maxParallel: number | undefined): string {
  if (state === "queued") return "waiting for the solve to start";
  const busy = progress.running + progress.verifying;
  if (!maxParallel) return "waiting for a free slot";
  return busy < maxParallel ? "about to start" : `${busy} of ${maxParallel} slots busy`;
}

function Controls({ axis, setAxis, sort, setSort }: Props) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-3 py-1.5 text-xs">
      <fieldset className="flex items-center gap-1">
        <legend className="float-left mr-1 text-muted">axis</legend>
        {AXES.map((scale) => (
          <button
            key={scale.id}
            type="button"
            aria-pressed={scale.id === axis}
            aria-keyshortcuts={scale.key}
            onClick={() => setAxis(scale.id)}
            className={`min-h-6 rounded border px-2 ${scale.id === axis ? "border-accent-text text-accent-text" : "border-transparent text-soft hover:text-text"}`}
          >
            <u className="decoration-dotted underline-offset-2">{scale.key}</u>
            {scale.name.slice(1)}
          </button>
        ))}
      </fieldset>
      <label className="flex items-center gap-1.5 text-muted">
        order
        <select
          value={sort}
          onChange={(event) => setSort(event.target.value as Sort)}
          className="min-h-6 rounded border border-control bg-ground px-1 text-text"
        >
          {SORTS.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

const COLUMNS = ["steps", "cost", "time", "tests", "change"] as const;

/** Column names, hidden from screen readers: each number has its own label. */
function Heads({ end, axis }: { end: number; axis: Axis }) {
  return (
    <div
      aria-hidden
      className={`hidden gap-x-3 border-b border-l-2 border-line border-l-transparent px-2 py-1 text-xs text-muted ${WIDE}`}
    >
      <span className="text-right">#</span>
      <span>contestant</span>
      <span className="relative h-4">
        {ticks(end, axis).map(({ at, text }) => (
          <span
            key={at}
            className={`absolute tabular-nums ${at === 0 ? "" : at === 100 ? "-translate-x-full" : "-translate-x-1/2"} ${at % 50 ? "hidden @7xl:inline" : ""}`}
            style={{ left: `${at}%` }}
          >
            {text}
          </span>
        ))}
      </span>
      {COLUMNS.map((name) => (
        <span key={name} className="text-right">
          {name}
        </span>
      ))}
      <span>state</span>
      <span />
    </div>
  );
}

import { type CSSProperties, memo } from "react";
import { Link } from "react-router";
import { CAUSES } from "@/api/choices";
import type { LaneView } from "@/api/types";
import { sansVerdict } from "@/features/solve/outcome/decision";
import type { Axis } from "@/features/solve/runs/axis";
import { isOver } from "@/features/solve/runs/order";
import { RunLaneBar } from "@/features/solve/runs/RunLaneBar";
import { RunLaneNumbers } from "@/features/solve/runs/RunLaneNumbers";
import { shown } from "@/lib/hostile";
import { Hostile } from "@/ui/Hostile";
import { StateBadge, VerdictBadge } from "@/ui/StateBadge";

/** Grid columns shared by all lanes and the header. */
export const WIDE =
  "@6xl:grid @6xl:grid-cols-[2.5rem_minmax(11rem,1.2fr)_minmax(13rem,3fr)_3.5rem_4rem_3.5rem_4.75rem_4.5rem_minmax(13rem,1.5fr)_5.25rem] @6xl:items-center";
const MIDDLE =
  "@3xl:grid @3xl:grid-cols-[2.5rem_minmax(12rem,18rem)_minmax(0,1fr)_5.25rem] @3xl:items-center";

export interface RunLaneProps {
  solveId: string;
  lane: LaneView;
  /** Number on the page, for the keys 1 to 9. */
  number: number;
  axis: Axis;
  end: number;
  now: number;
  /** Length of the handle's suffix that all handles share. */
  shared: number;
  why: string;
  /** Why the run is still queued. */
  waits: string;
  isChampion: boolean;
  isOpen: boolean;
  isPicked: boolean;
  isHot: boolean;
  toggle: (runId: string) => void;
  pick: (runId: string) => void;
  stop: (lane: LaneView) => void;
  heat: (runId: string) => void;
}

export const RunLane = memo(function RunLane(props: RunLaneProps) {
  const { lane, number, isChampion, isHot, isOpen, heat } = props;
  const place = { "--place": number } as CSSProperties;
  return (
    <li
      style={place}
      onPointerEnter={() => heat(lane.id)}
      onFocus={() => heat(lane.id)}
      className={`enter flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 border-l-2 px-2 py-1.5 ${MIDDLE} ${WIDE} ${isChampion ? "border-l-accent" : isOpen ? "border-l-second" : "border-l-transparent"} ${isHot ? "bg-raised" : isChampion ? "bg-accent-ground" : ""}`}
    >
      <span className="order-1 w-10 shrink-0 text-right whitespace-nowrap tabular-nums @3xl:w-auto @6xl:order-none">
        <span className="text-muted">{lane.rank ?? number}</span>{" "}
        {isChampion ? (
          <span className="text-accent-text">
            <span aria-hidden>★</span>
            <span className="sr-only">champion</span>
          </span>
        ) : (
          <span aria-hidden className="invisible">
            ★
          </span>
        )}
      </span>
      <Name {...props} />
      <div className="order-4 w-full min-w-0 @3xl:order-3 @6xl:order-none">
        <RunLaneBar
          lane={lane}
          axis={props.axis}
          end={props.end}
          now={props.now}
          isChampion={isChampion}
        />
      </div>
      <RunLaneNumbers lane={lane} now={props.now} />
      <Status lane={lane} why={props.why} waits={props.waits} />
      <Actions {...props} />
    </li>
  );
});

function Name({ lane, isOpen, toggle, isChampion, shared }: RunLaneProps) {
  return (
    <button
      type="button"
      id={`lane-${lane.id}`}
      aria-expanded={isOpen}
      title={`${isOpen ? "Close" : "Open"} the trajectory of ${shown(lane.handle)}`}
      onClick={() => toggle(lane.id)}
      className={`order-2 min-h-6 min-w-0 grow basis-0 truncate text-left hover:underline @6xl:order-none ${isChampion ? "font-semibold text-accent-text" : ""}`}
    >
      <span aria-hidden className="mr-1 inline-block w-3 text-muted">
        {isOpen ? "▾" : "▸"}
      </span>
      <Hostile text={lane.handle.slice(0, lane.handle.length - shared)} />
      {shared > 0 && (
        <span className="font-normal text-muted">
          <Hostile text={lane.handle.slice(-shared)} />
        </span>
      )}
    </button>
  );
}

/** State or verdict, then the newest action or the reason for the ending. */
function Status({ lane, why, waits }: Pick<RunLaneProps, "lane" | "why" | "waits">) {
  const text = statusText(lane, why, waits);
  return (
    <div
      className="order-6 flex w-full min-w-0 items-baseline gap-2 text-xs @3xl:order-5 @3xl:col-start-2 @3xl:pl-4 @6xl:order-none @6xl:col-start-auto @6xl:pl-0"
      title={shown(text)}
    >
      {lane.state === "completed" && lane.verdict ? (
        <VerdictBadge status={lane.verdict} />
      ) : (
        <StateBadge state={lane.state} />
      )}
      <span className="min-w-0 truncate text-soft">
        <Hostile text={text} />
      </span>
    </div>
  );
}

export function statusText(lane: LaneView, why: string, waits: string): string {
  if (lane.state === "failed") return lane.cause ? CAUSES[lane.cause] : lane.error;
  if (lane.state === "queued")
    return lane.attempt > 1 ? `attempt ${lane.attempt}, ${waits}` : waits;
  if (isOver(lane.state)) return sansVerdict(why, lane.verdict);
  if (lane.phase === "starting") return "starting its sandbox";
  return lane.last_action;
}

function Actions({ solveId, lane, isPicked, pick, stop }: RunLaneProps) {
  const handle = shown(lane.handle);
  const small =
    "inline-flex size-7 items-center justify-center rounded text-sm text-soft hover:bg-panel hover:text-text";
  return (
    <div className="order-3 flex shrink-0 items-center justify-end gap-1 @3xl:order-4 @6xl:order-none">
      {isOver(lane.state) ? (
        <span className="size-7" />
      ) : (
        <button
          type="button"
          aria-label={`Stop ${handle}`}
          title="Stop ( . )"
          onClick={() => stop(lane)}
          className={`${small} hover:text-bad`}
        >
          <span aria-hidden>■</span>
        </button>
      )}
      <label title="Pick to compare ( x )" className={`${small} cursor-pointer`}>
        <input
          type="checkbox"
          aria-label={`Pick ${handle} to compare`}
          checked={isPicked}
          onChange={() => pick(lane.id)}
          className="size-4 cursor-pointer accent-accent"
        />
      </label>
      <Link
        to={`/solves/${solveId}/runs/${lane.id}`}
        aria-label={`Trajectory of ${handle}, on its own page`}
        title="Open on its own page"
        className={small}
      >
        <span aria-hidden>↗</span>
      </Link>
    </div>
  );
}

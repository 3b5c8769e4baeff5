import { memo, useMemo } from "react";
import type { LaneView } from "@/api/types";
import { type Axis, percent, SCALES, worked } from "@/features/solve/runs/axis";
import { describeMarks, type Placed, placed, SIGNS, spots } from "@/features/solve/runs/marks";

interface Props {
  lane: LaneView;
  axis: Axis;
  end: number;
  /** Seconds by the server's clock. Unused once the run is over. */
  now: number;
  isChampion: boolean;
}

const TRACK =
  "bg-[repeating-linear-gradient(to_right,var(--line)_0_1px,transparent_1px_25%)] bg-raised";

/** Progress bar of a run with its marks. */
export function RunLaneBar({ lane, axis, end, now, isChampion }: Props) {
  const scale = SCALES[axis];
  const reached = percent(scale.reached(lane, now), end);
  const agent = axis === "time" ? percent(worked(lane, now), end) : reached;
  const marks = useMemo(() => placed(lane, axis, end), [lane, axis, end]);
  const label = `${scale.name}: ${scale.shown(scale.reached(lane, now))} of ${scale.shown(end)}; ${describeMarks(lane, marks, axis)}`;
  return (
    <div role="img" aria-label={label} className={`relative h-6 overflow-hidden rounded ${TRACK}`}>
      {reached > agent && (
        <div
          className="absolute inset-y-0 left-0 border-b-2 border-dashed border-muted"
          style={{ width: `${reached}%` }}
        />
      )}
      {/* No transition: an animated layer would force a compositing layer for each mark on it. */}
      <div
        className={`absolute inset-y-0 left-0 border-b-2 ${colour(lane, isChampion)}`}
        style={{ width: `${agent}%` }}
      />
      <Marks marks={marks} axis={axis} />
    </div>
  );
}

const Marks = memo(function Marks({ marks, axis }: { marks: readonly Placed[]; axis: Axis }) {
  const at = spots(marks);
  return marks.map((mark, place) => (
    <span
      key={`${mark.sign}${mark.value}`}
      title={`${SIGNS[mark.sign].word} at ${SCALES[axis].shown(mark.value)}${mark.times > 1 ? ` ×${mark.times}` : ""}`}
      className={`absolute top-1/2 -translate-x-1/2 -translate-y-1/2 text-xs leading-none ${SIGNS[mark.sign].colour}`}
      style={{ left: `clamp(0.45rem, ${at[place]}, 100% - 0.45rem)` }}
    >
      {SIGNS[mark.sign].sign}
    </span>
  ));
});

function colour(lane: LaneView, isChampion: boolean): string {
  if (isChampion) return "border-accent bg-accent-ground";
  if (lane.state === "failed") return "border-bad bg-bad-ground";
  if (lane.state === "running" || lane.state === "verifying")
    return "border-second bg-second-ground";
  if (lane.verdict === "passed") return "border-good bg-good-ground";
  if (lane.verdict === "failed") return "border-bad bg-bad-ground";
  return "border-control bg-panel";
}

export function Legend() {
  return (
    <ul
      aria-label="Marks on a lane"
      className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted"
    >
      {Object.values(SIGNS)
        .filter((look) => look !== SIGNS.ran)
        .map((look) => (
          <li key={look.word} className="whitespace-nowrap">
            <span aria-hidden className={look.colour}>
              {look.sign}
            </span>{" "}
            {look.word}
          </li>
        ))}
    </ul>
  );
}

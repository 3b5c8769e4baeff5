import { useNavigate } from "react-router";
import type { LaneView } from "@/api/types";
import { compareUrl } from "@/features/solve/outcome/decision";
import { AXES, type Axis } from "@/features/solve/runs/axis";
import { isOver } from "@/features/solve/runs/order";
import { type Keys, useKeys } from "@/lib/useKeys";

interface Acts {
  solveId: string;
  lanes: readonly LaneView[];
  hot: string;
  champion: string | null;
  picks: readonly string[];
  setAxis: (axis: Axis) => void;
  toggle: (runId: string) => void;
  pick: (runId: string) => void;
  stop: (lane: LaneView) => void;
  heat: (runId: string) => void;
  diff: () => void;
}

/** Binds the keys: t c s axis, 1-9 open, j k move, o open, x pick, v compare, d diff, . stop. */
export function useSolveKeys(acts: Acts): void {
  const go = useNavigate();
  const { lanes, hot } = acts;
  const here = lanes.findIndex((lane) => lane.id === hot);
  const current = lanes[Math.max(0, here)];
  const move = (by: number) => {
    const at = here < 0 ? 0 : (here + by + lanes.length) % lanes.length;
    const lane = lanes[at];
    if (!lane) return;
    acts.heat(lane.id);
    document.getElementById(`lane-${lane.id}`)?.focus();
  };
  const pair = pairOf(acts);
  const keys: Keys = {
    j: () => move(1),
    k: () => move(-1),
    l: () => move(1),
    h: () => move(-1),
    o: () => current && acts.toggle(current.id),
    x: () => current && acts.pick(current.id),
    v: () => pair && go(compareUrl(acts.solveId, pair[0], pair[1])),
    d: () => acts.diff(),
    ".": () => current && !isOver(current.state) && acts.stop(current),
  };
  for (const axis of AXES) keys[axis.key] = () => acts.setAxis(axis.id);
  lanes.slice(0, 9).forEach((lane, at) => {
    keys[String(at + 1)] = () => acts.toggle(lane.id);
  });
  useKeys(keys);
}

/** The two picked runs, else one picked run and the champion, else the champion and the next. */
export function pairOf({
  picks,
  champion,
  lanes,
}: Pick<Acts, "picks" | "champion" | "lanes">): [string, string] | null {
  const pair = [...picks];
  if (pair.length < 2 && champion && !pair.includes(champion)) pair.unshift(champion);
  for (const lane of lanes) {
    if (pair.length < 2 && !pair.includes(lane.id)) pair.push(lane.id);
  }
  const [a, b] = pair;
  return a && b ? [a, b] : null;
}

import type { RunView, SolveView } from "@/api/types";

export type Letter = "A" | "B";

/** One side of the comparison. `name` is the letter if names are hidden. */
export interface Side {
  letter: Letter;
  run: RunView;
  name: string;
  isChampion: boolean;
}

/** The champion, then the other runs by rank, then unranked runs. */
export function bestFirst(view: Pick<SolveView, "runs" | "solve">): RunView[] {
  const key = (run: RunView) => [
    run.id === view.solve.champion ? 0 : 1,
    run.rank ?? Number.MAX_SAFE_INTEGER,
    run.position,
  ];
  return view.runs.toSorted((one, two) => {
    const [left, right] = [key(one), key(two)];
    const at = left.findIndex((value, place) => value !== right[place]);
    return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
  });
}

/** A name for two runs that does not depend on their order. */
export function pairName(one: string, two: string): string {
  return [one, two].sort().join(" ");
}

/** The requested runs (by id, end of id or handle), else the champion and the best alternate. */
export function pairOf(
  view: Pick<SolveView, "runs" | "solve">,
  a: string,
  b: string,
): [RunView, RunView] | null {
  const best = bestFirst(view);
  const requested = (name: string) =>
    best.find((run) => name && (run.id === name || run.handle === name)) ??
    best.find((run) => name.length >= 8 && run.id.endsWith(name));
  const second = requested(b);
  const first = requested(a) ?? best.find((run) => run.id !== second?.id);
  const other = second && second.id !== first?.id ? second : undefined;
  const opponent = other ?? best.find((run) => run.id !== first?.id);
  return first && opponent ? [first, opponent] : null;
}

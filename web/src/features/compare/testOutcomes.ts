import type { RunView, Verdict } from "@/api/types";

type Run = Pick<RunView, "handle" | "verdict">;

/** Tests by their outcome with two patches. */
export interface Sets {
  both: string[];
  onlyA: string[];
  onlyB: string[];
  neither: string[];
  /** Passes with A and was not run with B. */
  untriedByB: string[];
  untriedByA: string[];
  /** Tests of these sets that passed before any patch. */
  wasGreen: ReadonlySet<string>;
}

type Outcomes = ReadonlyMap<string, boolean>;

/** Compares the outcomes of relevant tests. Tests by contestants are named `handle::test id`. */
export function compared(a: Run, b: Run): Sets {
  const wasGreen = new Set([a, b].flatMap(({ verdict }) => (verdict ? brokenTests(verdict) : [])));
  const [one, two] = [outcomes(a, b, wasGreen), outcomes(b, a, wasGreen)];
  const tests = [...new Set([...one.keys(), ...two.keys()])].sort();
  const where = (first: boolean | undefined, second: boolean | undefined) =>
    tests.filter((test) => one.get(test) === first && two.get(test) === second);
  return {
    both: where(true, true),
    onlyA: where(true, false),
    onlyB: where(false, true),
    neither: where(false, false),
    untriedByB: where(true, undefined),
    untriedByA: where(undefined, true),
    wasGreen,
  };
}

/** Tests that pass on the base and fail or are missing with this patch. */
function brokenTests(verdict: Verdict): string[] {
  return [...verdict.broken, ...verdict.missing];
}

function outcomes(run: Run, opponent: Run, wasGreen: ReadonlySet<string>): Outcomes {
  const { verdict, handle } = run;
  const outcomesByTest = new Map<string, boolean>();
  if (!verdict) return outcomesByTest;
  const { evidence } = verdict;
  if (evidence.executed) {
    const relevant = [...verdict.fixed, ...(opponent.verdict?.fixed ?? []), ...wasGreen];
    const [fixed, bad] = [new Set(verdict.fixed), new Set(brokenTests(verdict))];
    const flaky = new Set([...verdict.flaky, ...(opponent.verdict?.flaky ?? [])]);
    for (const test of relevant) {
      if (!flaky.has(test))
        outcomesByTest.set(test, fixed.has(test) || (wasGreen.has(test) && !bad.has(test)));
    }
  }
  const failed = new Set(evidence.own_failed);
  for (const test of evidence.own_tests)
    outcomesByTest.set(`${handle}::${test}`, !failed.has(test));
  for (const test of evidence.cross_passed) outcomesByTest.set(test, true);
  for (const test of evidence.cross_failed) outcomesByTest.set(test, false);
  return outcomesByTest;
}

import type { RunView, Verdict } from "@/api/types";

type Run = Pick<RunView, "handle" | "verdict">;

/** How a test stands with two patches. */
export interface Sets {
  both: string[];
  onlyA: string[];
  onlyB: string[];
  neither: string[];
  /** It passes with A, and nobody ran it on B. */
  untriedByB: string[];
  untriedByA: string[];
  /** Of all these, the tests that were green before any patch. */
  wasGreen: ReadonlySet<string>;
}

type Outcomes = ReadonlyMap<string, boolean>;

/** Tests that tell something about either; those that contestants wrote read `handle::test id`. */
export function compared(a: Run, b: Run): Sets {
  const wasGreen = new Set([a, b].flatMap(({ verdict }) => (verdict ? spoilt(verdict) : [])));
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

/** Green on the base, and red or gone with this patch. */
function spoilt(verdict: Verdict): string[] {
  return [...verdict.broken, ...verdict.missing];
}

function outcomes(run: Run, rival: Run, wasGreen: ReadonlySet<string>): Outcomes {
  const { verdict, handle } = run;
  const found = new Map<string, boolean>();
  if (!verdict) return found;
  const { evidence } = verdict;
  if (evidence.executed) {
    const telling = [...verdict.fixed, ...(rival.verdict?.fixed ?? []), ...wasGreen];
    const [fixed, bad] = [new Set(verdict.fixed), new Set(spoilt(verdict))];
    const flaky = new Set([...verdict.flaky, ...(rival.verdict?.flaky ?? [])]);
    for (const test of telling) {
      if (!flaky.has(test))
        found.set(test, fixed.has(test) || (wasGreen.has(test) && !bad.has(test)));
    }
  }
  const failed = new Set(evidence.own_failed);
  for (const test of evidence.own_tests) found.set(`${handle}::${test}`, !failed.has(test));
  for (const test of evidence.cross_passed) found.set(test, true);
  for (const test of evidence.cross_failed) found.set(test, false);
  return found;
}

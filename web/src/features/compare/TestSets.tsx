import { useMemo } from "react";
import { compared, type Sets } from "@/features/compare/testOutcomes";
import type { Comparison } from "@/features/compare/useCompare";
import { type Outcome, TestNames } from "@/ui/TestNames";

type Group = Exclude<keyof Sets, "wasGreen">;

const GROUPS: readonly { id: Group; title: string; outcome: Outcome; isOpen: boolean }[] = [
  { id: "onlyA", title: "Only A passes", outcome: "green", isOpen: true },
  { id: "onlyB", title: "Only B passes", outcome: "green", isOpen: true },
  { id: "neither", title: "Both fail", outcome: "red", isOpen: true },
  { id: "both", title: "Same: both pass", outcome: "green", isOpen: false },
  { id: "untriedByB", title: "A passes, not run on B", outcome: "unknown", isOpen: false },
  { id: "untriedByA", title: "B passes, not run on A", outcome: "unknown", isOpen: false },
];

/** Tests grouped by the contestants that pass them. */
export function TestSets({ comparison }: { comparison: Comparison }) {
  const { a, b, mask } = comparison;
  const sets = useMemo(() => compared(a.run, b.run), [a.run, b.run]);
  const groups = GROUPS.filter(({ id }) => sets[id].length > 0 || id === "onlyA" || id === "onlyB");
  const noteOf = (test: string) => note(sets.wasGreen.has(test));
  const byMasked = new Map([...sets.wasGreen].map((test) => [mask(test), test]));
  return (
    <section aria-label="Tests" className="card flex min-w-0 flex-col gap-2 p-4">
      <h2 className="text-sm font-semibold">Tests</h2>
      <p className="text-xs text-soft">
        Tests that either patch turns from red to green or breaks, and those that contestants wrote.
      </p>
      {groups.map(({ id, title, outcome, isOpen }) => (
        <details key={id} open={isOpen && sets[id].length > 0} className="min-w-0">
          <summary className="min-h-6 text-sm">
            {title} <span className="text-muted tabular-nums">{sets[id].length}</span>
          </summary>
          <div className="py-1 pl-4">
            {sets[id].length ? (
              <TestNames
                tests={unique(sets[id].map(mask))}
                outcome={outcome}
                aside={(test) => noteOf(byMasked.get(test) ?? test)}
              />
            ) : (
              <p className="text-xs text-muted">None.</p>
            )}
          </div>
        </details>
      ))}
    </section>
  );
}

function note(wasGreen: boolean): string {
  return wasGreen ? "green on base: broken" : "";
}

/** Masked tests of two contestants can have the same name. */
function unique(tests: readonly string[]): string[] {
  return [...new Set(tests)];
}

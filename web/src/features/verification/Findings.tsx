import type { ReactNode } from "react";
import type { Verdict } from "@/api/types";
import { examiners, proofs } from "@/features/verification/evidence";
import { count } from "@/lib/format";
import { Hostile } from "@/ui/Hostile";
import { type Outcome, TestNames } from "@/ui/TestNames";

interface Group {
  title: string;
  what: string;
  items: (verdict: Verdict) => readonly string[];
  outcome: Outcome;
}

/** Findings against a patch, worst first. Empty groups are hidden. */
const AGAINST: readonly Group[] = [
  {
    title: "Tampering",
    what: "The patch changes files that verify it.",
    items: (verdict) => verdict.tampered,
    outcome: "red",
  },
  {
    title: "Broken",
    what: "Green on the base, red with this patch.",
    items: (verdict) => verdict.broken,
    outcome: "red",
  },
  {
    title: "Missing",
    what: "Run on the base, not run with this patch.",
    items: (verdict) => verdict.missing,
    outcome: "red",
  },
  {
    title: "Withheld",
    what: "Files of the patch that were not applied, because they change how tests are run.",
    items: (verdict) => verdict.evidence.withheld,
    outcome: "note",
  },
  {
    title: "Flaky",
    what: "Sometimes green and sometimes red on the base: they prove nothing.",
    items: (verdict) => verdict.flaky,
    outcome: "note",
  },
];

export function Findings({ verdict }: { verdict: Verdict }) {
  return (
    <>
      {AGAINST.map((group) => (
        <Listed key={group.title} group={group} verdict={verdict} />
      ))}
      <Proof verdict={verdict} />
      <OwnTests verdict={verdict} />
      <CrossExamination verdict={verdict} />
    </>
  );
}

function Listed({ group, verdict }: { group: Group; verdict: Verdict }) {
  const items = group.items(verdict);
  if (!items.length) return null;
  return (
    <Part title={group.title} number={items.length} what={group.what}>
      <TestNames tests={items} outcome={group.outcome} />
    </Part>
  );
}

interface PartProps {
  title: string;
  number?: number;
  what: ReactNode;
  children: ReactNode;
}

export function Part({ title, number, what, children }: PartProps) {
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col gap-2 p-4">
      <div>
        <h3 className="text-sm font-semibold">
          {title}
          {number !== undefined && (
            <span className="ml-2 font-normal text-muted tabular-nums">{number}</span>
          )}
        </h3>
        <p className="text-xs text-soft">{what}</p>
      </div>
      {children}
    </section>
  );
}

function Proof({ verdict }: { verdict: Verdict }) {
  const { base, own, others } = proofs(verdict);
  const parts = [
    { name: "of the base", tests: base },
    { name: "of this patch", tests: own },
    { name: "of other contestants", tests: others },
  ].filter((part) => part.tests.length);
  if (!parts.length) return null;
  return (
    <Part
      title="Red to green"
      number={verdict.evidence.proved_by.length}
      what="The proof: red on the base, green with this patch."
    >
      {parts.map((part) => (
        <div key={part.name} className="min-w-0">
          <p className="mb-1 text-xs text-muted">
            {count(part.tests.length, "test")} {part.name}
          </p>
          <TestNames tests={part.tests} outcome="green" />
        </div>
      ))}
    </Part>
  );
}

function OwnTests({ verdict }: { verdict: Verdict }) {
  const { own_tests, own_failed, valid_tests } = verdict.evidence;
  const [failed, valid] = [new Set(own_failed), new Set(valid_tests)];
  const passing = own_tests.filter((test) => !failed.has(test));
  if (!own_tests.length && !own_failed.length) return null;
  return (
    <Part
      title="Own tests"
      number={own_tests.length}
      what="New tests of this patch. A test that fails on the base and passes here is valid, and is run on the other contestants' patches."
    >
      {own_failed.length > 0 && <TestNames tests={own_failed} outcome="red" />}
      {passing.length > 0 && (
        <TestNames
          tests={passing}
          outcome="green"
          aside={(test) => (valid.has(test) ? "valid" : "also green on the base")}
        />
      )}
    </Part>
  );
}

function CrossExamination({ verdict }: { verdict: Verdict }) {
  const contestants = examiners(verdict);
  if (!contestants.length) return null;
  return (
    <Part
      title="Cross-examination"
      number={contestants.length}
      what="Valid tests that other contestants wrote, run on this patch."
    >
      {contestants.map(({ handle, passed, failed }) => (
        <details key={handle} open={failed.length > 0} className="min-w-0">
          <summary className="min-h-6 text-sm">
            <Hostile text={handle || "unknown"} />{" "}
            <span className={`text-xs ${failed.length ? "text-bad" : "text-good"}`}>
              <span aria-hidden>{failed.length ? "✗" : "✓"}</span> {passed.length} of{" "}
              {count(passed.length + failed.length, "test")} passed
            </span>
          </summary>
          <div className="flex flex-col gap-0.5 py-1 pl-4">
            <TestNames tests={failed} outcome="red" />
            <TestNames tests={passed} outcome="green" />
          </div>
        </details>
      ))}
    </Part>
  );
}

import type { Verdict } from "@/api/types";
import { ChangedExpectations } from "@/features/verification/ChangedExpectations";
import { examiners, proofs } from "@/features/verification/evidence";
import { OwnTests } from "@/features/verification/OwnTests";
import { Part } from "@/features/verification/Part";
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
    title: "Convicted by",
    what: "Tests of other contestants that prove their authors' patches, and fail on this one.",
    items: (verdict) => verdict.convicted_by,
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
    title: "Not run",
    what: "Tests that count and could not be run here: whether this patch passes them is not known.",
    items: (verdict) => verdict.not_run,
    outcome: "unknown",
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
  {
    title: "Unsteady",
    what: "Failed once, and passed when they were run again, alone: they do not count against it.",
    items: (verdict) => verdict.evidence.unsteady,
    outcome: "note",
  },
  {
    title: "Outside the runner",
    what: "What values that were computed without a test runner say, and do not decide.",
    items: (verdict) => verdict.evidence.values,
    outcome: "note",
  },
];

export function Findings({ verdict }: { verdict: Verdict }) {
  return (
    <>
      {AGAINST.map((group) => (
        <Listed key={group.title} group={group} verdict={verdict} />
      ))}
      <ChangedExpectations verdict={verdict} />
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
      number={base.length + own.length + others.length}
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

function CrossExamination({ verdict }: { verdict: Verdict }) {
  const contestants = examiners(verdict);
  const convicting = new Set(verdict.convicted_by);
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
            <TestNames
              tests={failed}
              outcome="red"
              aside={(test) =>
                verdict.rules && !convicting.has(`${handle}::${test}`) ? "does not count" : ""
              }
            />
            <TestNames tests={passed} outcome="green" />
          </div>
        </details>
      ))}
    </Part>
  );
}

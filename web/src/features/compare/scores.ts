import { PROOF_KINDS, REDUCERS } from "@/api/choices";
import type { RunView, VerdictStatus } from "@/api/types";
import { clock, duration, money } from "@/lib/format";
import { redToGreen } from "@/lib/verdicts";

const VERDICT_ORDER: readonly VerdictStatus[] = [
  "passed",
  "unproved",
  "unverified",
  "failed",
  "none",
];

interface Measure {
  name: string;
  /**
   * Value to compare, lower is better; null if unknown. Without it, the row is informative only.
   */
  key?: (run: RunView) => number | null;
  says: (run: RunView) => string;
  /** Hidden in a blind comparison, because it could identify the run. */
  isTelling?: boolean;
}

type Verdict = NonNullable<RunView["verdict"]>;

/** A number of the verdict; lower is better. */
function ofVerdict(
  name: string,
  key: (verdict: Verdict) => number,
  says: (verdict: Verdict) => string,
): Measure {
  return {
    name,
    key: (run) => (run.verdict ? key(run.verdict) : null),
    says: (run) => (run.verdict ? says(run.verdict) : "–"),
  };
}

const proof = ofVerdict(
  "proof",
  ({ proof }) => PROOF_KINDS.indexOf(proof),
  ({ proof }) => proof,
);
const tied = ofVerdict(
  "about this issue",
  ({ tied }) => (tied ? 0 : 1),
  ({ tied }) => (tied ? "yes" : "not visibly"),
);
const support = ofVerdict(
  "independent answers behind it",
  ({ evidence }) => -evidence.support,
  ({ evidence }) => String(evidence.support),
);
const failures = ofVerdict(
  "others' tests failed",
  ({ evidence }) => evidence.failures,
  ({ evidence }) => String(evidence.failures),
);
const size = ofVerdict(
  "lines of code",
  ({ evidence }) => evidence.size,
  ({ evidence }) => String(evidence.size),
);

const verdict: Measure = {
  name: "verdict",
  key: (run) => (run.verdict ? VERDICT_ORDER.indexOf(run.verdict.status) : null),
  says: (run) => run.verdict?.status ?? "not yet",
};
const files: Measure = {
  name: "files changed",
  key: (run) => run.files_changed,
  says: (run) => String(run.files_changed),
};
const lines: Measure = {
  name: "lines changed",
  key: (run) => run.lines_changed,
  says: (run) => String(run.lines_changed),
};
const time: Measure = {
  name: "time",
  key: (run) => run.latency_ms,
  says: (run) => duration(run.latency_ms / 1000),
  isTelling: true,
};
const submitted: Measure = {
  name: "submitted at",
  key: (run) => run.submitted_at ?? Number.POSITIVE_INFINITY,
  says: (run) => (run.submitted_at === null ? "never" : clock(run.submitted_at)),
  isTelling: true,
};

/** Measures by reducer rule. Steadiness, the last rule, is not shown. */
const MEASURES: Record<string, Measure> = {
  proof,
  tied,
  support,
  failures,
  size,
  files,
  lines,
  time,
  submitted,
};

function rulesOf(reducer: string): readonly Measure[] {
  const names = REDUCERS[reducer]?.measures ?? [];
  return [verdict, ...names.flatMap((name) => MEASURES[name] ?? [])];
}

const FACTS: readonly Measure[] = [
  { name: "red to green", says: (run) => proved(run) },
  { name: "broken or missing", says: (run) => brokenCount(run) },
  { name: "others' tests passed", says: (run) => crossPassed(run) },
  { name: "same answer", says: (run) => agreement(run) },
  files,
  lines,
  time,
  { name: "cost", says: (run) => money(run.cost_usd), isTelling: true },
  { name: "API calls", says: (run) => String(run.api_calls), isTelling: true },
  { name: "edits", says: (run) => String(run.edits) },
  { name: "rank", says: (run) => (run.rank === null ? "–" : `#${run.rank}`), isTelling: true },
];

function proved(run: RunView): string {
  return run.verdict ? String(redToGreen(run.verdict).length) : "–";
}

function agreement({ verdict }: RunView): string {
  return verdict && verdict.agreement > 1 ? `${verdict.agreement} contestants` : "–";
}

function brokenCount(run: RunView): string {
  return run.verdict ? String(run.verdict.broken.length + run.verdict.missing.length) : "–";
}

function crossPassed(run: RunView): string {
  const evidence = run.verdict?.evidence;
  const passed = evidence?.cross_passed.length ?? 0;
  const all = passed + (evidence?.cross_failed.length ?? 0);
  return all ? `${passed} of ${all}` : "–";
}

export interface Row {
  name: string;
  a: string;
  b: string;
  /** Position among the rules; null for an informative row. */
  rule: number | null;
  ahead: "A" | "B" | null;
  /** True for the first rule that differs. */
  decides: boolean;
  isTelling: boolean;
}

/** Rows of the rules in order, with the deciding one marked, then informative rows. */
export function scoreRows(a: RunView, b: RunView, reducer: string): Row[] {
  const rules = rulesOf(reducer);
  const decider = deciding(a, b, reducer);
  const facts = FACTS.filter((fact) => !rules.includes(fact));
  const row = (measure: Measure, rule: number | null): Row => ({
    name: measure.name,
    a: measure.says(a),
    b: measure.says(b),
    rule,
    ahead: rule === null ? null : ahead(measure, a, b),
    decides: measure === decider,
    isTelling: measure.isTelling ?? false,
  });
  return [
    ...rules.map((rule, place) => row(rule, place + 1)),
    ...facts.map((fact) => row(fact, null)),
  ];
}

function deciding(a: RunView, b: RunView, reducer: string): Measure | null {
  if (!a.verdict || !b.verdict) return null;
  return rulesOf(reducer).find((rule) => ahead(rule, a, b) !== null) ?? null;
}

function ahead(measure: Measure, a: RunView, b: RunView): "A" | "B" | null {
  const [one, two] = [measure.key?.(a) ?? null, measure.key?.(b) ?? null];
  if (one === null || two === null || one === two) return null;
  return one < two ? "A" : "B";
}

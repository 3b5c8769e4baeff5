import type { TestsView, Verdict, VerdictStatus } from "@/api/types";
import { count } from "@/lib/format";
import { redToGreen } from "@/lib/verdicts";

/** A contestant's tests and their results on the patch. */
export interface Examiner {
  handle: string;
  passed: string[];
  failed: string[];
}

/** Groups cross tests (`handle::test id`) by handle, handles with failures first. */
export function examiners(verdict: Verdict): Examiner[] {
  const byHandle = new Map<string, Examiner>();
  const put = (test: string, way: "passed" | "failed") => {
    const at = test.indexOf("::");
    const handle = at < 0 ? "" : test.slice(0, at);
    const examiner = byHandle.get(handle) ?? { handle, passed: [], failed: [] };
    examiner[way].push(at < 0 ? test : test.slice(at + 2));
    byHandle.set(handle, examiner);
  };
  for (const test of verdict.evidence.cross_failed) put(test, "failed");
  for (const test of verdict.evidence.cross_passed) put(test, "passed");
  return [...byHandle.values()];
}

/** Tests that went from red to green, by author. */
export function proofs(verdict: Verdict): { base: string[]; own: string[]; others: string[] } {
  const { cross_passed, own_tests } = verdict.evidence;
  const proving = redToGreen(verdict);
  const [crossed, own] = [new Set(cross_passed), new Set(own_tests)];
  return {
    base: proving.filter((test) => !crossed.has(test) && !own.has(test)),
    own: proving.filter((test) => own.has(test)),
    others: proving.filter((test) => crossed.has(test) && !own.has(test)),
  };
}

/** The meaning of a verdict in one sentence. */
export const MEANINGS: Record<VerdictStatus, string> = {
  passed: "Nothing is broken, and there is a proof that the issue is solved.",
  unproved:
    "Nothing is wrong, but nothing shows that the issue is solved, or a changed expectation waits for a person.",
  failed: "This patch must not be taken as it is.",
  unverified: "The tests could not tell whether this patch is right.",
  none: "There is no patch to test.",
};

export type Tone = "good" | "bad" | "warn" | "plain";

export interface Check {
  name: string;
  value: string;
  tone: Tone;
}

/** The findings as a row of numbers: first for the patch, then against it. */
export function checks({ verdict, tests }: TestsView): Check[] {
  const { evidence } = verdict;
  const crossed = evidence.cross_passed.length + evidence.cross_failed.length;
  return [
    greenTests(tests),
    number("red to green", redToGreen(verdict).length, "good", "plain"),
    number("broken", verdict.broken.length, "bad", "good"),
    number("missing", verdict.missing.length, "bad", "good"),
    number("tampering", verdict.tampered.length, "bad", "good"),
    {
      name: "others' tests",
      value: crossed ? `${evidence.cross_passed.length} of ${crossed}` : "none",
      tone: evidence.cross_failed.length ? "bad" : crossed ? "good" : "plain",
    },
    number("flaky", verdict.flaky.length, "warn", "plain"),
  ];
}

function greenTests(tests: TestsView["tests"]): Check {
  if (!tests) return { name: "green", value: "not run", tone: "plain" };
  return {
    name: "green",
    value: `${tests.passed} of ${tests.total}`,
    tone: tests.failed ? "warn" : "good",
  };
}

function number(name: string, value: number, some: Tone, none: Tone): Check {
  return { name, value: String(value), tone: value ? some : none };
}

/** Number of base tests run before and with the patch. */
export function executed(verdict: Verdict): string {
  const { executed: after, baseline_executed: before } = verdict.evidence;
  if (!after && !before) return "No test was executed.";
  return `${count(before, "test")} of the base executed before, ${after.toLocaleString("en-US")} with the patch.`;
}

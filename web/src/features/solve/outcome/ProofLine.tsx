import type { Verdict } from "@/api/types";
import { count } from "@/lib/format";
import { agreementWords, proofWords } from "@/lib/verdicts";

/** The champion's kind of proof, agreement, and what a person should look at. */
export function ProofLine({ verdict, contestants }: { verdict: Verdict; contestants: number }) {
  const changed = verdict.evidence.changed_expectations.length;
  const words = [
    proofWords(verdict),
    agreementWords(verdict, contestants),
    changed ? count(changed, "changed expectation") : "",
    verdict.not_run.length ? `${count(verdict.not_run.length, "test")} not run` : "",
  ].filter(Boolean);
  if (!words.length) return null;
  return <p className="text-text first-letter:uppercase">{words.join(" · ")}</p>;
}

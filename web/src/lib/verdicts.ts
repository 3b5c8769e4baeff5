import type { PlaceEntry, ProofKind, Verdict } from "@/api/types";

type Weighed = Verdict["evidence"]["weighed"][number];
type Changed = Verdict["evidence"]["changed_expectations"][number];

const PERSON = "a person";

const PROVED: Record<ProofKind, string> = {
  behaviour: "proved by behaviour",
  interface: "proved by an interface that the issue names",
  command: "proved by a plain command",
  none: "",
};

/** The kind of proof in words. Empty if it has not passed, or from before there were rules. */
export function proofWords(verdict: Verdict): string {
  if (verdict.status !== "passed" || !verdict.rules) return "";
  if (!PROVED[verdict.proof]) return "";
  if (verdict.proof === "interface" && verdict.evidence.proved_by.includes(PERSON)) {
    return "accepted by a person";
  }
  const about = verdict.tied ? "about this issue" : "not visibly about this issue";
  return `${PROVED[verdict.proof]}, ${about}`;
}

/** The tests that prove the patch; a person who accepted it is a proof and no test. */
export function redToGreen({ evidence }: Verdict): string[] {
  return evidence.proved_by.filter((name) => name !== PERSON);
}

/** How many contestants gave this very answer; empty if it was one. */
export function agreementWords(verdict: Verdict, contestants?: number): string {
  if (verdict.agreement < 2) return "";
  const of = contestants === undefined ? "" : ` of ${contestants}`;
  return `${verdict.agreement}${of} contestants gave this answer`;
}

/** Why a valid test proves nothing; empty if it proves. */
export function whyNoProof({ kind, subjects, symbols }: Weighed): string {
  if (subjects.length) {
    return `is about ${subjects.join(", ")}, which the issue does not ask for`;
  }
  if (kind === "interface" && symbols.length) {
    return `uses ${symbols.join(", ")}, which the patch introduced and the issue does not name`;
  }
  return kind === "none" ? "fails on the base for another reason than the behaviour" : "";
}

/** Who says that a test has to expect something else. */
export function saysWords({ says, accepted }: Changed): string {
  const who = says.length ? `says ${says.join(", ")}` : "says the patch alone";
  return accepted ? who : `${who}; a person has to accept it`;
}

/** Handle of the first place of each answer, by the handle of every other place with it. */
export function equalAnswers(ranking: readonly PlaceEntry[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  const found = new Map<string, string>();
  for (const { handle, same_as } of ranking) {
    const answer = same_as ?? handle;
    const best = first.get(answer);
    if (best === undefined) first.set(answer, handle);
    else found.set(handle, best);
  }
  return found;
}

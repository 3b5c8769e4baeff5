import { expect, it } from "vitest";
import type { ProofKind } from "@/api/types";
import { agreementWords, equalAnswers, proofWords, saysWords, whyNoProof } from "@/lib/verdicts";
import { aPlace } from "@/testing/solveBuilders";
import { verdictOf } from "@/testing/verdicts";

const proved = (proof: ProofKind, tied = true) => verdictOf({ proof, tied, rules: 1 });

it("tells the kind of proof and whether it is about the issue", () => {
  expect(proofWords(proved("behaviour"))).toBe("proved by behaviour, about this issue");
  expect(proofWords(proved("interface"))).toMatch(/^proved by an interface that the issue names,/);
  expect(proofWords(proved("command", false))).toBe(
    "proved by a plain command, not visibly about this issue",
  );
  expect(proofWords(proved("none"))).toBe("");
  const accepted = { ...proved("interface"), evidence: verdictOf().evidence };
  accepted.evidence.proved_by = ["a person"];
  expect(proofWords(accepted)).toBe("accepted by a person");
});

it("tells nothing of a patch that has not passed", () => {
  expect(proofWords({ ...proved("behaviour"), status: "unproved" })).toBe("");
});

it("tells nothing of verdicts from before the rules", () => {
  expect(proofWords(verdictOf({ proof: "behaviour", tied: true, rules: 0 }))).toBe("");
});

it("tells how many gave an answer, if it was more than one", () => {
  expect(agreementWords(verdictOf({ agreement: 1 }), 6)).toBe("");
  expect(agreementWords(verdictOf({ agreement: 3 }), 6)).toBe(
    "3 of 6 contestants gave this answer",
  );
  expect(agreementWords(verdictOf({ agreement: 3 }))).toBe("3 contestants gave this answer");
});

it("tells why a test proves nothing", () => {
  const test = {
    test: "t",
    kind: "behaviour" as ProofKind,
    tied: false,
    subjects: [],
    symbols: [],
    support: 1,
  };
  expect(whyNoProof(test)).toBe("");
  expect(whyNoProof({ ...test, kind: "interface" })).toBe("");
  expect(whyNoProof({ ...test, kind: "interface", symbols: ["--fast", "go"] })).toMatch(
    /uses --fast, go, which the patch introduced/,
  );
  expect(whyNoProof({ ...test, subjects: ["timing", "a document"] })).toMatch(
    /is about timing, a document/,
  );
  expect(whyNoProof({ ...test, kind: "none" })).toMatch(/another reason than the behaviour/);
});

it("tells who says that an expectation changes", () => {
  const changed = { test: "t", before: "1", now: "2", says: ["the issue", "a"], accepted: true };
  expect(saysWords(changed)).toBe("says the issue, a");
  expect(saysWords({ ...changed, says: [], accepted: false })).toBe(
    "says the patch alone; a person has to accept it",
  );
});

it("finds the best place of each answer", () => {
  const equals = equalAnswers([
    aPlace({ handle: "a", same_as: "c" }),
    aPlace({ handle: "b" }),
    aPlace({ handle: "c" }),
    aPlace({ handle: "d", same_as: "c" }),
  ]);
  expect([...equals]).toEqual([
    ["c", "a"],
    ["d", "a"],
  ]);
});

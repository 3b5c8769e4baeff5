import { describe, expect, test } from "vitest";
import { AT, anOutcome, aPublication, eventsOf } from "@/features/publication/builders";
import { offerOf } from "@/features/publication/offer";
import { commitUrl, evidenceOf } from "@/features/publication/outcomes";
import { credentialText } from "@/features/publication/PublishDialog";
import { factsOf, stateOf } from "@/features/publication/PullFacts";
import { steps } from "@/features/publication/steps";
import { newest } from "@/features/publication/usePublication";
import { signedIn } from "@/testing/fakeServer";
import { aPlace, aSolve, someFacts } from "@/testing/solveBuilders";

const phases = (...given: Parameters<typeof steps>) =>
  steps(...given).map(({ state, phase }) => `${state} ${phase}`);

describe("the steps", () => {
  test("have past, current and later steps while publishing", () => {
    const events = eventsOf("publication.requested", "publication.committed");
    expect(phases(aPublication({ state: "committed" }), events)).toEqual([
      "requested past",
      "committed now",
      "pushed ahead",
      "opened ahead",
      "done ahead",
    ]);
    expect(steps(aPublication({ state: "committed" }), events)[1]?.at).toBe(AT + 1);
  });

  test("are all past when done", () => {
    expect(phases(aPublication(), [])).toEqual([
      "requested past",
      "committed past",
      "pushed past",
      "opened past",
      "done past",
    ]);
  });

  test("are fewer for a comment only", () => {
    expect(phases(aPublication({ run_id: null }), [])).toEqual(["requested past", "done past"]);
  });

  test("end with the failed step, and ignore earlier attempts", () => {
    const events = eventsOf(
      "publication.requested",
      "publication.committed",
      "publication.pushed",
      "publication.stale",
      "publication.requested",
      "publication.committed",
      "publication.refused",
    );
    const publication = aPublication({ state: "refused" });
    expect(phases(publication, events)).toEqual([
      "requested past",
      "committed past",
      "refused failed",
    ]);
    expect(steps(publication, events)[0]?.at).toBe(AT + 4);
  });
});

describe("the offer", () => {
  const waiting = aSolve({ state: "awaiting_review", champion: "run-a" });
  const facts = someFacts({ ranking: [aPlace()] });

  test("is to publish for a verified champion without a publication", () => {
    expect(offerOf(waiting, facts, null).kind).toBe("publish");
    expect(offerOf(aSolve(), facts, null).kind).toBe("nothing");
    expect(offerOf(aSolve({ state: "completed", champion: "run-a" }), facts, null).kind).toBe(
      "nothing",
    );
  });

  test("is to publish for a person's champion after the rules chose none", () => {
    const abstained = someFacts({ ranking: [aPlace()], events: eventsOf("solve.abstained") });
    const solve = aSolve({ state: "completed", champion: "run-a" });
    expect(offerOf(solve, abstained, null).kind).toBe("publish");
  });

  test.each([
    ["requested", 5, "nothing"],
    ["opened", 5, "nothing"],
    ["done", 5, "nothing"],
    ["done", null, "publish"],
    ["refused", null, "again"],
    ["stale", null, "again"],
  ] as const)("%s with pull request %s: %s", (state, number, kind) => {
    const publication = aPublication({ state, pull_number: number });
    expect(offerOf(waiting, facts, publication).kind).toBe(kind);
  });

  test("has a reason when the champion is not verified", () => {
    const place = aPlace();
    const ranking = [{ ...place, verdict: { ...place.verdict, status: "failed" as const } }];
    const offer = offerOf(waiting, someFacts({ ranking }), null);
    expect(offer).toMatchObject({ kind: "not", why: expect.stringContaining("failed") });
  });

  test("names the credential", () => {
    expect(credentialText(signedIn(), "o/r")).toContain("in your name, ada");
    expect(credentialText(signedIn({ mode: "local" }), "o/r")).toContain("the server's own token");
  });
});

describe("the facts", () => {
  test.each([
    [{}, "draft"],
    [{ is_draft: false }, "open"],
    [{ pull_state: null, is_draft: false }, "open"],
    [{ pull_state: "merged" }, "merged"],
    [{ pull_state: "closed" }, "closed"],
    [{ pull_number: null }, null],
  ] as const)("%o", (over, state) => expect(stateOf(aPublication(over))).toBe(state));

  test("link to the branch of a fork", () => {
    const facts = factsOf(aPublication({ head_repo: "carol/passbook" }));
    expect(facts[1]).toEqual([
      "branch",
      "https://github.com/carol/passbook/tree/yudai/issue-12-abc",
      "carol/passbook:yudai/issue-12-abc",
    ]);
    expect(factsOf(aPublication())[1]?.[2]).toBe("yudai/issue-12-abc");
    const started = { state: "requested", pull_number: null, commit: "", comment_url: "" } as const;
    expect(factsOf(aPublication(started)).map(([name, url]) => [name, url])).toEqual([
      ["branch", ""],
      ["into", ""],
    ]);
  });

  test("are those of the newer publication", () => {
    const [old, fresh] = [aPublication(), aPublication({ updated_at: AT + 20 })];
    expect(newest(old, fresh)).toBe(fresh);
    expect(newest(fresh, old)).toBe(fresh);
    expect(newest(null, old)).toBe(old);
    expect(newest(null, null)).toBeNull();
  });
});

describe("the evidence", () => {
  test.each([
    [
      { evidence: { base: "main", commit: "d".repeat(40), self_merge: true } },
      /by bob, who requested it, into main, commit dddddddddd/,
    ],
    [
      { kind: "reverted", evidence: { sign: "commit", by_pull: 7 } },
      /says that it reverts this one, by bob, in pull request #7/,
    ],
    [
      { kind: "landed", by: "", evidence: { sign: "picked" } },
      /^it was cherry-picked from this commit$/,
    ],
    [
      {
        kind: "suspected_revert",
        by: "",
        evidence: { sign: "content", reason: "most lines of the change are gone" },
      },
      /^most lines of the change are gone$/,
    ],
    [{ kind: "suspected_revert", by: "", confirmed: false, evidence: {} }, /denied by a person/],
    [{ kind: "closed", by: "", evidence: { sign: "unknown sign" } }, /^unknown sign$/],
  ] as const)("%#", (over, words) =>
    expect(evidenceOf(anOutcome(over as never)).join(", ")).toMatch(words),
  );

  test("may have any shape", () => {
    expect(
      evidenceOf(anOutcome({ by: "", evidence: { sign: 1, commit: {}, reason: [] } })),
    ).toEqual([]);
  });

  test("links to valid commit ids only", () => {
    const at = "https://github.com/o/r";
    expect(commitUrl(at, anOutcome())).toBe(`${at}/commit/${"d".repeat(40)}`);
    expect(commitUrl(at, anOutcome({ evidence: { commit: "../../evil" } }))).toBe("");
  });
});

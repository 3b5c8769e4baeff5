import { describe, expect, test } from "vitest";
import { normalised } from "@/features/new-solve/form/RepositoryField";
import { totalOf } from "@/features/new-solve/preview/counts";
import { drafted, FOLDER, lineup } from "@/features/new-solve/state/builders";
import { BLANK, withArena } from "@/features/new-solve/state/draft";
import { presetOf } from "@/features/new-solve/state/presets";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import { bodyOf, draftOf, issueNumber, numberOf, pruned } from "@/features/new-solve/state/request";

const named = (name: string) => ({ owner: "o", name });
const at = (host: string, name: string) => ({
  kind: "remote",
  repo_url: `https://${host}/o/${name}`,
  host,
  repo: named(name),
});

describe("the repository input", () => {
  test.each([
    ["", { kind: "none" }],
    [" /srv/x ", { kind: "folder", repo_path: "/srv/x" }],
    ["file:///srv/x", { kind: "folder", repo_url: "file:///srv/x" }],
    ["https://github.com/o/r.git", at("github.com", "r")],
    ["https://github.com/o/r/tree/main", at("github.com", "r")],
    ["http://github.com/o/r", at("github.com", "r")],
    ["git@github.com:o/r.git", at("github.com", "r")],
    ["ssh://git@host.org/o/r", at("host.org", "r")],
    ["github.com/o/r.js", at("github.com", "r.js")],
    ["https://github.com/o/r/issues/12#note", { ...at("github.com", "r"), number: 12 }],
    ["https://github.com/o/r/pull/12/files", { ...at("github.com", "r"), number: 12 }],
    [
      "http://127.0.0.1:8090/o/r/issues/3",
      { ...at("127.0.0.1:8090", "r"), repo_url: "http://127.0.0.1:8090/o/r", number: 3 },
    ],
    ["o/r", { kind: "remote", repo_url: "o/r", repo: { owner: "o", name: "r" } }],
    [" o/r.js#12 ", { kind: "remote", repo_url: "o/r.js", repo: named("r.js"), number: 12 }],
  ])("%s", (typed, place) => expect(parseRepository(typed)).toEqual(place));

  test.each([
    "passbook",
    "~/passbook",
    "./passbook",
    "..",
    "o/r/x",
    "o/r#",
    "o/r#twelve",
    "-o/../r",
    "C:\\passbook",
    "javascript:alert(1)",
  ])("explains what to enter instead of %s", (typed) =>
    expect(parseRepository(typed).wrong).toContain("/home/ada/passbook"),
  );
});

describe("a request body from a draft", () => {
  test("has only the fields that were entered", () => {
    expect(bodyOf({ ...BLANK, repo: FOLDER, title: "Leap years", lineup: lineup("a") })).toEqual({
      repo_path: FOLDER,
      issue_text: "Leap years",
      matrix: lineup("a"),
    });
  });

  test("has all fields that were entered, with minutes as seconds", () => {
    const draft = drafted({
      body: "366 days\n",
      base: "main",
      dirty: true,
      lineup: lineup("acme/new"),
      prices: { "acme/new": { input: "1.5", output: "6" }, other: { input: "1", output: "1" } },
      limits: { ...BLANK.limits, budget_usd: "$2.50", time_budget_s: "1.5", max_runs: "3" },
      setupBy: "given",
      setup: "pip install -e .\n\n make ",
      test: "pytest -q",
      env: "/venv",
      requireProof: false,
    });
    expect(bodyOf(draft)).toEqual({
      repo_path: FOLDER,
      issue_title: "Leap years",
      issue_text: "366 days",
      base_branch: "main",
      dirty: true,
      matrix: lineup("acme/new"),
      prices: { "acme/new": { input_usd: 1.5, output_usd: 6 } },
      limits: { budget_usd: 2.5, time_budget_s: 90, max_runs: 3 },
      setup: ["pip install -e .", "make"],
      test: "pytest -q",
      env: "/venv",
      require_proof: false,
    });
  });

  test("distinguishes no set-up from a detected one", () => {
    expect(bodyOf(drafted({ setupBy: "none" }))).toMatchObject({ setup: [] });
    expect(bodyOf(drafted())).not.toHaveProperty("setup");
  });

  test("converts to a draft and back", () => {
    const body = bodyOf(drafted({ body: "more", setupBy: "none", requireProof: false }));
    expect(bodyOf(draftOf(body))).toEqual(body);
    const alone = bodyOf(withArena(drafted(), false));
    expect(draftOf(alone).arena).toBe(false);
    expect(bodyOf(draftOf(alone))).toEqual(alone);
  });

  test("recognises the full matrix preset in a request body", () => {
    const draft = draftOf({
      repo_url: "https://github.com/owner/repo",
      issue_number: 123,
      base_branch: "main",
      matrix: {
        models: ["gpt-4.1", "claude-3.7-sonnet", "local-solo"],
        temps: [0.2, 0.6],
        max_edits: [3, 5],
        evolution: ["test-first", "stacktrace-first", "small-steps"],
      },
      limits: { max_parallel: 6, time_budget_s: 1800 },
    });
    expect(presetOf(draft)).toBe("mission");
    expect(totalOf(draft)).toBe(36);
    expect(bodyOf(draft)).toMatchObject({ issue_number: 123, base_branch: "main" });
  });

  test("leaves out default values of the server's body", () => {
    const body = {
      repo_url: "",
      dirty: false,
      setup: [],
      limits: { max_runs: null },
      matrix: { a: [1] },
    };
    expect(pruned(body)).toEqual({ setup: [], matrix: { a: [1] } });
    expect(pruned({ reducer: "evidence" })).toEqual({});
    expect(pruned({ reducer: "simple" })).toEqual({ reducer: "simple" });
  });
});

describe("a repository at a forge", () => {
  test("sends an issue number for a forge, never for a folder", () => {
    const draft = drafted({ issueBy: "number", number: "#12", dirty: true });
    expect(bodyOf({ ...draft, repo: "https://github.com/o/r" })).toMatchObject({
      issue_number: 12,
    });
    expect(bodyOf({ ...draft, repo: "https://github.com/o/r" })).not.toHaveProperty("dirty");
    expect(bodyOf(draft)).toMatchObject({ issue_text: "Leap years" });
  });

  test("takes the number from an issue URL, and sends whether to publish", () => {
    const draft = drafted({ repo: "o/r#12", title: "", publish: "auto" });
    expect(bodyOf(draft)).toMatchObject({ repo_url: "o/r", issue_number: 12, publish: "auto" });
    expect(bodyOf(drafted({ publish: "auto" }))).not.toHaveProperty("publish");
    expect(issueNumber(drafted({ repo: "o/r", number: "1.5" }))).toBeNull();
  });

  test("normalises the input when the field loses focus", () => {
    const typed = drafted({ repo: "o/r#12" });
    expect(normalised(typed)).toMatchObject({ repo: "o/r", issueBy: "number", number: "12" });
    expect(normalised(drafted({ repo: "o/r" })).issueBy).toBe("text");
    expect(normalised(drafted({ repo: "o/r", title: "" })).issueBy).toBe("number");
    const folder = drafted();
    expect(normalised(folder)).toBe(folder);
  });
});

describe("numbers as people type them", () => {
  test.each([
    ["", null],
    ["$2.50", 2.5],
    [".5", 0.5],
    ["1e9", Number.NaN],
    ["-1", Number.NaN],
    ["ten", Number.NaN],
  ])("the number %s", (typed, value) => expect(numberOf(typed)).toBe(value));
});

import { beforeEach, describe, expect, test } from "vitest";
import { ProblemError } from "@/api/problem";
import type { Forecast } from "@/api/types";
import { findModel, matching, unpriced } from "@/features/new-solve/models/models";
import * as counts from "@/features/new-solve/preview/counts";
import { drafted, lineup, MODELS } from "@/features/new-solve/state/builders";
import { axesOf, BLANK, toggled, withArena, withAxes } from "@/features/new-solve/state/draft";
import { fromSearch, toSearch } from "@/features/new-solve/state/draftUrl";
import { check, errorsOf, fieldOf, lacking } from "@/features/new-solve/state/fieldErrors";
import { INITIAL_DRAFT, PRESETS, presetOf, withPreset } from "@/features/new-solve/state/presets";
import { restoreDraft, saveDraft } from "@/features/new-solve/state/savedDraft";

describe("contestants", () => {
  test("keeps separate axes for one contestant and for several, each starting from the other's", () => {
    const many = drafted();
    const one = withArena(many, false);
    expect(axesOf(one)).toEqual({
      models: ["openai/gpt-5-mini"],
      temperatures: [0.2],
      max_edits: [10],
      strategies: ["balanced"],
    });
    const other = withAxes(one, { models: ["local-solo"] });
    expect(axesOf(withArena(other, true))).toEqual(axesOf(many));
    expect(axesOf(withArena(withArena(other, true), false)).models).toEqual(["local-solo"]);
  });

  test("toggles values", () => {
    expect(toggled([1, 2], 2, true)).toEqual([1]);
    expect(toggled([1], 2, true)).toEqual([1, 2]);
    expect(toggled([1], 2, false)).toEqual([2]);
  });

  test("recognises each preset, in any order, until a value changes", () => {
    for (const preset of PRESETS) {
      const draft = withPreset(drafted(), preset);
      expect(presetOf(draft)).toBe(preset.id);
      const models = [...draft.lineup.models].reverse();
      expect(presetOf(withAxes(draft, { models }))).toBe(preset.id);
      expect(presetOf(withAxes(draft, { models: ["x"] }))).toBeNull();
    }
  });

  test("finds models by name, alias and words", () => {
    expect(findModel(MODELS, "gpt-4.1")?.name).toBe("openai/gpt-4.1");
    expect(matching(MODELS, "GPT openai").map(({ name }) => name)).toHaveLength(2);
    expect(unpriced(MODELS, ["gpt-4.1", "acme/secret", "new/one", "scripted/x.yaml"])).toEqual([
      "acme/secret",
      "new/one",
    ]);
  });
});

const FORECAST = {
  total: 12,
  starting: 12,
  max_parallel: 3,
  free: false,
  cost_usd: { low: 3.2, high: 8.9 },
  ceiling_usd: 10,
  seconds: { low: 840, high: 860 },
} as Forecast;

describe("counts and prices", () => {
  test("formats the estimate in one line", () => {
    expect(counts.estimateOf(FORECAST)).toBe("$3–9, ~14 min, 3 at a time, capped at $10");
    const free = { ...FORECAST, free: true, starting: 1, seconds: { low: 2, high: 20 } };
    expect(counts.estimateOf(free)).toBe("free, under a minute");
  });

  test.each([
    [0.072, 1.4, "$0.07–1.40"],
    [0.001, 0.004, "$0.01"],
    [3.2, 8.9, "$3–9"],
    [0.5, 25, "$0.50–25"],
    [0, 0, "free"],
  ])("%s to %s", (low, high, text) => expect(counts.spanOfMoney(low, high)).toBe(text));

  test("counts contestants without a forecast", () => {
    const draft = drafted({ limits: { ...BLANK.limits, max_runs: "3" } });
    expect(counts.countOf(draft, undefined)).toEqual({ total: 4, starting: 3 });
    expect(counts.countOf(draft, FORECAST)).toEqual({ total: 12, starting: 12 });
  });

  test("calculates the most that the form allows to spend", () => {
    expect(counts.ceilingOf(drafted(), MODELS)).toBe(2);
    const limits = { ...BLANK.limits, budget_usd: "10", run_budget_usd: "1" };
    expect(counts.ceilingOf(drafted({ limits }), MODELS)).toBe(4);
    const free = withAxes(drafted(), { models: ["local-solo"] });
    expect(counts.ceilingOf(free, MODELS)).toBe("free");
    expect(counts.ceilingOf(drafted({ limits: BLANK.limits }), MODELS)).toBeNull();
  });

  test("names the count and the maximum cost on the button", () => {
    expect(counts.startWords(12, 10)).toBe("Start 12 contestants, at most $10");
    expect(counts.startWords(1, 0.5)).toBe("Start 1 contestant, at most $0.50");
    expect(counts.startWords(2, "free")).toBe("Start 2 contestants, free");
    expect(counts.startWords(2, 0)).toBe("Start 2 contestants, at most $0");
    expect(counts.startWords(0, null)).toBe("Start");
  });
});

describe("field errors", () => {
  test.each([
    ["repo_path", "repo"],
    ["repo_url", "repo"],
    ["matrix", "matrix.models"],
    ["matrix.models.0", "matrix.models"],
    ["matrix.temps.1", "matrix.temperatures"],
    ["matrix.evolution.0", "matrix.strategies"],
    ["limits.budget_usd", "limits.budget_usd"],
    ["prices.gpt-4.1.input_usd", "prices.gpt-4.1"],
    ["setup.0", "setup"],
    ["matrix.agents", "matrix.models"],
    ["reducer", ""],
    ["", ""],
  ])("%s", (named, field) => expect(fieldOf(named)).toBe(field));

  test("keeps the name of a field that the form does not have", () => {
    const errors = [
      { field: "reducer", message: "unknown" },
      { field: "limits.max_runs", message: "too many" },
    ];
    expect(errorsOf(new ProblemError({ detail: "no", errors }, 422))).toEqual({
      "": "reducer: unknown",
      "limits.max_runs": "too many",
    });
    expect(errorsOf(new ProblemError({ detail: "the key is missing" }, 422))).toEqual({
      "": "the key is missing",
    });
  });

  test("checks an empty and a complete form", () => {
    expect(Object.keys(check(BLANK, MODELS)).sort()).toEqual([
      "issue_title",
      "matrix.models",
      "repo",
    ]);
    expect(lacking(check(BLANK, MODELS))).toBe("a repository, a model");
    expect(check(drafted(), MODELS)).toEqual({});
  });

  test("accepts folders in local mode only, and requires a number for a forge's issue", () => {
    expect(check(drafted(), MODELS, false).repo).toContain("owner/repo#12");
    expect(check(drafted({ repo: "" }), MODELS, false).repo).toContain("owner/repo#12");
    expect(check(drafted({ repo: "o/r" }), MODELS, false)).toEqual({});
    const issue = drafted({ repo: "o/r", issueBy: "number", number: "x" });
    expect(Object.keys(check(issue, MODELS))).toEqual(["issue_number"]);
    expect(check(drafted({ repo: "o/r#3", title: "" }), MODELS)).toEqual({});
  });

  test("rejects invalid numbers and unknown prices", () => {
    const draft = drafted({
      lineup: lineup("acme/secret"),
      limits: { ...BLANK.limits, budget_usd: "ten", max_runs: "1.5", max_steps: "0" },
      setupBy: "given",
    });
    const wrong = check(draft, MODELS);
    expect(Object.keys(wrong).sort()).toEqual([
      "limits.budget_usd",
      "limits.max_runs",
      "limits.max_steps",
      "prices.acme/secret",
      "setup",
    ]);
    const priced = { ...draft, prices: { "acme/secret": { input: "0", output: "0" } } };
    expect(check(priced, MODELS)).not.toHaveProperty(["prices.acme/secret"]);
  });
});

describe("the saved draft", () => {
  beforeEach(() => sessionStorage.clear());

  test("keeps short values in the URL", () => {
    const draft = drafted({ base: "main", dirty: true, body: "long" });
    const search = toSearch(draft);
    expect(fromSearch(search, BLANK)).toEqual({ ...draft, body: "" });
    expect(fromSearch(search, draft)).toEqual(draft);
    const alone = withArena(drafted(), false);
    expect(fromSearch(toSearch(alone), { ...BLANK, lineup: alone.lineup })).toEqual(alone);
  });

  test("reads an issue number or an issue text from the URL", () => {
    const remote = fromSearch("?repo=https://github.com/o/r&issue=12", BLANK);
    expect(remote).toMatchObject({ issueBy: "number", number: "12" });
    const picked = fromSearch("?repo=o/r&issue=12&publish=auto", BLANK);
    expect(picked).toMatchObject({ repo: "o/r", number: "12", publish: "auto" });
    expect(fromSearch(toSearch(picked), BLANK)).toEqual(picked);
    expect(fromSearch("?repo=o/r&publish=evil", BLANK).publish).toBe("ask");
    const folder = fromSearch("?repo=/x&issue=%23%20Leap%0A%0Ayears", BLANK);
    expect(folder).toMatchObject({ issueBy: "text", title: "Leap", body: "years" });
  });

  test("ignores invalid values in the URL", () => {
    const draft = fromSearch(
      "?strategy=evil&temperature=x&temperature=0.4&max_edits=-3",
      INITIAL_DRAFT,
    );
    expect(draft.lineup).toEqual({ ...INITIAL_DRAFT.lineup, temperatures: [0.4] });
  });

  test("restores everything after a reload", () => {
    const draft = drafted({
      body: "long",
      test: "make test",
      prices: { a: { input: "1", output: "" } },
    });
    saveDraft(draft);
    expect(restoreDraft(toSearch(draft))).toEqual(draft);
    expect(restoreDraft("")).toEqual(draft);
  });

  test("drops the issue of a started solve, except when the URL names it", () => {
    const draft = drafted({ body: "long" });
    saveDraft({ ...draft, sent: true });
    expect(restoreDraft("")).toEqual({ ...draft, title: "", body: "" });
    expect(restoreDraft(toSearch(draft))).toEqual(draft);
  });

  test.each(["{", "null", "[]", '{"repo":1}', JSON.stringify({ ...BLANK, lineup: { models: 1 } })])(
    "ignores the invalid draft %s",
    (kept) => {
      sessionStorage.setItem("yudai.ask", kept);
      expect(restoreDraft("")).toEqual(INITIAL_DRAFT);
    },
  );
});

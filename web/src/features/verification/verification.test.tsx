import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { testsQuery } from "@/api/queries/runs";
import type { TestsView } from "@/api/types";
import { checks, examiners, proofs } from "@/features/verification/evidence";
import { VerificationView } from "@/features/verification/VerificationView";
import { verdictOf } from "@/testing/verdicts";

type Weighed = TestsView["verdict"]["evidence"]["weighed"][number];

const VIEW: TestsView = {
  run_id: "r1",
  verdict: verdictOf(),
  tests: { passed: 10, failed: 0, total: 10 },
  baseline: {
    command: "python -m pytest",
    executed: 10,
    passing: 8,
    failing: 2,
    flaky: ["t::shaky"],
    failed: ["t::red"],
  },
  links: { test: "/api/runs/r1/logs/test" },
};

function show(view: TestsView) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } });
  client.setQueryData(testsQuery("r1", 1).queryKey, view);
  return render(
    <QueryClientProvider client={client}>
      <VerificationView runId="r1" rev={1} />
    </QueryClientProvider>,
  );
}

const part = (name: string) => within(screen.getByRole("region", { name }));

describe("evidence", () => {
  it("groups cross tests by contestant, failures first", () => {
    const verdict = verdictOf({
      evidence: { cross_passed: ["a::t.py::x", "b::t.py::y"], cross_failed: ["b::t.py::z"] },
    });
    expect(examiners(verdict)).toEqual([
      { handle: "b", passed: ["t.py::y"], failed: ["t.py::z"] },
      { handle: "a", passed: ["t.py::x"], failed: [] },
    ]);
  });

  it("groups the proving tests by author", () => {
    const evidence = {
      proved_by: ["base", "own", "a::o"],
      own_tests: ["own"],
      cross_passed: ["a::o"],
    };
    expect(proofs(verdictOf({ evidence }))).toEqual({
      base: ["base"],
      own: ["own"],
      others: ["a::o"],
    });
  });

  it("does not count a person's acceptance as a test", () => {
    const accepted = verdictOf({ evidence: { proved_by: ["a person"] } });
    expect(proofs(accepted)).toEqual({ base: [], own: [], others: [] });
    const shown = checks({ ...VIEW, verdict: accepted });
    expect(shown.find(({ name }) => name === "red to green")?.value).toBe("0");
  });

  it("is good only without findings against the patch", () => {
    const bad = checks({ ...VIEW, verdict: verdictOf({ broken: ["t"], tampered: ["x"] }) });
    const tone = (name: string) => bad.find((check) => check.name === name)?.tone;
    expect([tone("broken"), tone("tampering"), tone("missing")]).toEqual(["bad", "bad", "good"]);
    expect(checks({ ...VIEW, tests: null })[0]?.value).toBe("not run");
  });
});

describe("a verification", () => {
  it("shows the verdict, the baseline and its command", () => {
    show(VIEW);
    expect(screen.getByRole("heading", { level: 2 })).toHaveTextContent("passed");
    expect(screen.getByText("python -m pytest")).toBeInTheDocument();
    expect(part("Baseline").getByText("red")).toBeInTheDocument();
    expect(part("Baseline").getByText(/and 1 more test/)).toBeInTheDocument();
  });

  it("shows all findings and no empty group", () => {
    const verdict = verdictOf({
      status: "failed",
      broken: ["t.py::broken"],
      missing: ["t.py::gone"],
      flaky: ["t.py::shaky"],
      tampered: ["t.py: edits the existing test"],
      evidence: {
        withheld: ["conftest.py"],
        own_tests: ["t.py::mine"],
        own_failed: ["t.py::mine"],
        cross_failed: ["rival::t.py::theirs"],
      },
    });
    show({ ...VIEW, verdict });
    for (const name of ["Broken", "Missing", "Flaky", "Tampering", "Withheld", "Own tests"]) {
      expect(screen.getByRole("region", { name })).toBeInTheDocument();
    }
    expect(part("Cross-examination").getByText("rival")).toBeInTheDocument();
    expect(screen.queryByRole("region", { name: "Red to green" })).not.toBeInTheDocument();
  });

  it("shows hidden characters in names", () => {
    const { container } = show({
      ...VIEW,
      verdict: verdictOf({ broken: ["t.py::\u202e<img src=x>"], summary: "breaks \u200bit" }),
    });
    expect(container.querySelector("img")).toBeNull();
    expect(container.innerHTML).not.toMatch(/[\u202e\u200b]/u);
  });

  it("shows a notice when there is no verification yet", async () => {
    const problem = { title: "", status: 404, code: "not_yet", detail: "this run is running" };
    vi.stubGlobal("fetch", async () => Response.json(problem, { status: 404 }));
    render(
      <QueryClientProvider client={new QueryClient()}>
        <VerificationView runId="r1" rev={1} />
      </QueryClientProvider>,
    );
    expect(await screen.findByText("this run is running")).toBeInTheDocument();
    vi.unstubAllGlobals();
  });
});

describe("the proof of a verification", () => {
  it("shows the kind of proof, agreement, and the answer that it equals", () => {
    const verdict = verdictOf({
      proof: "command",
      rules: 1,
      agreement: 3,
      same_as: "first",
    });
    const { container } = show({ ...VIEW, verdict });
    expect(container).toHaveTextContent(
      "proved by a plain command, not visibly about this issue; 3 contestants gave this answer.",
    );
    expect(container).toHaveTextContent("Same answer as first, which was verified in its place.");
  });

  it("shows no kind of proof for verdicts from before the rules", () => {
    const { container } = show(VIEW);
    expect(container).not.toHaveTextContent("proved by");
  });

  it("shows each own test with its kind, and why it proves nothing", () => {
    const weighed = (test: string, parts: Partial<Weighed> = {}): Weighed => ({
      test,
      kind: "behaviour",
      tied: false,
      subjects: [],
      symbols: [],
      support: 1,
      ...parts,
    });
    const verdict = verdictOf({
      rules: 1,
      evidence: {
        own_tests: ["t::good", "t::free", "t::timed", "t::new", "t::import", "t::green"],
        weighed: [
          weighed("t::good", { tied: true }),
          weighed("t::free"),
          weighed("t::timed", { subjects: ["timing"] }),
          weighed("t::new", { kind: "interface", symbols: ["--fast"] }),
          weighed("t::import", { kind: "none" }),
        ],
      },
    });
    show({ ...VIEW, verdict });
    const own = part("Own tests");
    const rows = own.getAllByRole("listitem").map((row) => row.textContent);
    expect(rows).toEqual([
      "✓passes: t::goodbehaviour, about this issue",
      "✓passes: t::freebehaviour",
      "✓passes: t::greenalso green on the base",
      "!t::timed behaviour: is about timing, which the issue does not ask for",
      "!t::new interface: uses --fast, which the patch introduced and the issue does not name",
      "!t::import fails on the base for another reason than the behaviour",
    ]);
  });

  it("shows changed expectations as before and after, with who says so", () => {
    const changed = { test: "t::total", before: "3", now: "", says: ["the issue"], accepted: true };
    const open = { test: "t::name", before: "'a'", now: "'b'", says: ["ada"], accepted: false };
    show({
      ...VIEW,
      verdict: verdictOf({ evidence: { changed_expectations: [changed, open] } }),
    });
    const [first, second] = part("Changed expectations").getAllByRole("listitem");
    expect(first).toHaveTextContent("t::totalbefore3nownothingsays the issue");
    expect(second).toHaveTextContent("says ada; a person has to accept it");
  });
});

describe("the limits of a verification", () => {
  it("shows who convicts it, what was not run, and what is unsteady", () => {
    const verdict = verdictOf({
      status: "failed",
      rules: 1,
      convicted_by: ["rival::t::x"],
      not_run: ["rival::t::slow"],
      evidence: { cross_failed: ["rival::t::x", "rival::t::y"], unsteady: ["t::shaky"] },
    });
    show({ ...VIEW, verdict });
    expect(part("Convicted by").getByRole("listitem")).toHaveTextContent("rival::t::x");
    expect(part("Not run").getByRole("listitem")).toHaveTextContent("rival::t::slow");
    expect(part("Unsteady").getByRole("listitem")).toHaveTextContent("t::shaky");
    const crossed = part("Cross-examination").getAllByRole("listitem", { hidden: true });
    expect(crossed.map((row) => row.textContent)).toEqual([
      "✗fails: t::x",
      "✗fails: t::ydoes not count",
    ]);
  });

  it("shows hostile values as text", () => {
    const text = "\u202e<img src=x>\u200b";
    const weighed: Weighed = {
      test: text,
      kind: "interface",
      tied: false,
      subjects: [],
      symbols: [text],
      support: 1,
    };
    const changed = { test: text, before: text, now: text, says: [text], accepted: false };
    const { container } = show({
      ...VIEW,
      verdict: verdictOf({
        rules: 1,
        same_as: text,
        convicted_by: [text],
        not_run: [text],
        evidence: {
          own_tests: [text],
          weighed: [weighed],
          changed_expectations: [changed],
          unsteady: [text],
        },
      }),
    });
    expect(container.querySelector("img")).toBeNull();
    expect(container.innerHTML).not.toMatch(/[\u202e\u200b]/u);
  });
});

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { testsQuery } from "@/api/queries/runs";
import type { TestsView } from "@/api/types";
import { checks, examiners, proofs } from "@/features/verification/evidence";
import { VerificationView } from "@/features/verification/VerificationView";
import { verdictOf } from "@/testing/verdicts";

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

import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, it } from "vitest";
import type { PlaceEntry } from "@/api/types";
import { ProofLine } from "@/features/solve/outcome/ProofLine";
import { Scorecard } from "@/features/solve/outcome/Scorecard";
import { aPlace } from "@/testing/solveBuilders";
import { verdictOf } from "@/testing/verdicts";

const PROVED = verdictOf({ proof: "behaviour", tied: true, rules: 1, agreement: 2 });

function table(ranking: readonly PlaceEntry[]) {
  const ignore = () => undefined;
  return render(
    <MemoryRouter>
      <Scorecard
        solveId="solve-1"
        ranking={ranking}
        isRanked
        champion="run-a"
        notStarted={[]}
        ended=""
        hot=""
        heat={ignore}
        diff={ignore}
      />
    </MemoryRouter>,
  );
}

it("shows the champion's proof, agreement and what is not certain", () => {
  const changed = { test: "t", before: "1", now: "2", says: [], accepted: true };
  const verdict = {
    ...PROVED,
    not_run: ["b::t"],
    evidence: { ...PROVED.evidence, changed_expectations: [changed] },
  };
  const { container } = render(<ProofLine verdict={verdict} contestants={6} />);
  expect(container).toHaveTextContent(
    "proved by behaviour, about this issue · 2 of 6 contestants gave this answer · 1 changed expectation · 1 test not run",
  );
});

it("shows no proof of a verdict from before the rules", () => {
  const { container } = render(<ProofLine verdict={verdictOf()} contestants={6} />);
  expect(container).toBeEmptyDOMElement();
});

it("shows equal answers as one, with the proof said once", () => {
  table([
    aPlace({ verdict: PROVED, why: "passed: t goes from red to green" }),
    aPlace({ rank: 2, run_id: "run-b", handle: "b", same_as: "opus-t0.0-test-first" }),
  ]);
  const rows = screen.getAllByRole("row");
  expect(rows[1]).toHaveTextContent("t goes from red to green");
  expect(rows[1]).toHaveTextContent("proved by behaviour, about this issue");
  expect(rows[2]).toHaveTextContent("same answer as opus-t0.0-test-first");
  expect(rows[2]).not.toHaveTextContent("proved by");
});

it("shows a hostile handle of an equal answer as text", () => {
  const hostile = "<img src=x>\u202e";
  const { container } = table([
    aPlace({ handle: hostile }),
    aPlace({ rank: 2, run_id: "run-b", handle: "b", same_as: hostile }),
  ]);
  expect(container.querySelector("img")).toBeNull();
  expect(screen.getByText(/same answer as <img src=x>/)).toBeInTheDocument();
  expect(container.textContent).not.toContain("\u202e");
});

it("shows the size by which answers are ranked, beside the raw lines", () => {
  table([aPlace({ verdict: PROVED, lines_changed: 40, size: 7 })]);
  const heads = screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
  const cells = screen.getAllByRole("row")[1]?.querySelectorAll("td, th");
  expect(cells?.[heads.indexOf("lines")]).toHaveTextContent("40");
  expect(cells?.[heads.indexOf("size")]).toHaveTextContent("7");
});

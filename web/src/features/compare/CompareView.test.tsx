import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider, useLocation } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { patchQuery } from "@/api/queries/runs";
import type { SolveView } from "@/api/types";
import { CompareView } from "@/features/compare/CompareView";
import { runOf, solveOf, verdictOf } from "@/testing/verdicts";

const A = runOf("surgeon", { rank: 1, verdict: verdictOf({ evidence: { own_tests: ["t::a"] } }) });
const B = runOf("laconic", {
  rank: 2,
  lines_changed: 22,
  verdict: verdictOf({ evidence: { cross_failed: ["surgeon::t::a"] } }),
});
const VIEW = solveOf([A, B]);
const change = (path: string, line: string) =>
  `diff --git a/${path} b/${path}\n@@ -1 +1 @@\n-old\n+${line}\n`;

function CurrentSearch() {
  return <output>{useLocation().search}</output>;
}

function show(view: SolveView = VIEW, search = "") {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } });
  for (const run of view.runs) {
    const patch = change("both.py", run.handle) + change(`${run.position || run.rank}.py`, "x");
    client.setQueryData(patchQuery(run.id, run.state).queryKey, patch);
  }
  const element = (
    <>
      <CompareView
        view={view}
        file={(file, lead) => (
          <p key={file.path}>
            {lead} {file.path}
          </p>
        )}
      />
      <CurrentSearch />
    </>
  );
  const router = createMemoryRouter([{ path: "/", element }], { initialEntries: [`/${search}`] });
  return render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  localStorage.clear();
});
afterEach(() => vi.unstubAllGlobals());

describe("a comparison", () => {
  it("starts with the champion and the best alternate", () => {
    show();
    expect(screen.getByRole("region", { name: "Contestant A" })).toHaveTextContent("surgeon");
    expect(screen.getByRole("region", { name: "Contestant B" })).toHaveTextContent("laconic");
    expect(screen.getByRole("table")).toHaveTextContent("lines changed◆ decides");
    expect(
      within(screen.getByRole("region", { name: "Tests" })).getByText("a"),
    ).toBeInTheDocument();
  });

  it("says that a person chose the champion, from the event and not from the reason's words", () => {
    const data = { reason: "reads better", by: "ada" };
    const event = { id: 1, at: 1, kind: "champion.chosen", run_id: A.id, data };
    const view = { ...VIEW, reason: "other words", events: [event] };
    const { unmount } = show(view);
    expect(screen.getByText(/The champion was chosen by a person/)).toHaveTextContent(
      "reads better",
    );
    unmount();
    show({ ...view, events: [{ ...event, run_id: B.id }] });
    expect(screen.queryByText(/chosen by a person/)).toBeNull();
  });

  it("moves between files by keys and keeps the file in the URL", async () => {
    show();
    await userEvent.keyboard("{ArrowRight}");
    expect(screen.getByRole("status")).toHaveTextContent("file=both.py");
    await userEvent.keyboard("{ArrowLeft}{ArrowLeft}");
    expect(screen.getByRole("status")).toHaveTextContent("file=2.py");
  });

  it("says of a patch that was given who wrote it, and nothing of a model", () => {
    const contestant = { ...A.contestant, agent: "patch", model: "", author: "ada" };
    show(solveOf([{ ...A, contestant }, B]));
    const region = screen.getByRole("region", { name: "Contestant A" });
    expect(region).toHaveTextContent("a patch by ada");
    expect(region).not.toHaveTextContent("t0.2");
  });

  it("shows a notice when there is only one contestant", () => {
    show(solveOf([A]));
    expect(screen.getByText("Nothing to compare")).toBeInTheDocument();
  });
});

describe("blind mode", () => {
  it("hides names, models and costs", () => {
    const { container } = show(VIEW, "?blind=1");
    expect(container).not.toHaveTextContent(/surgeon|laconic|maker|champion now|\$/u);
    expect(screen.queryByRole("link", { name: /Trajectory/ })).not.toBeInTheDocument();
    expect(screen.queryByText(/decides/)).not.toBeInTheDocument();
  });

  it("shows them after a choice", async () => {
    const fetchMock = vi.fn(async (_request: Request) => Response.json({}));
    vi.stubGlobal("fetch", fetchMock);
    show(VIEW, "?blind=1");
    await userEvent.keyboard("b");
    await userEvent.type(screen.getByLabelText("Reason"), "it reads best{Enter}");
    await waitFor(() => expect(screen.getByText(/You chose B/)).toBeInTheDocument());
    expect(screen.getAllByRole("link", { name: /Trajectory/ })).toHaveLength(2);
    const body = await fetchMock.mock.calls[0]?.[0].json();
    expect(body.reason).toBe("it reads best");
  });
});

describe("choosing", () => {
  it("requires a reason", async () => {
    show();
    await userEvent.keyboard("b");
    const dialog = within(screen.getByRole("dialog"));
    await userEvent.click(dialog.getByRole("button", { name: "Choose B" }));
    expect(dialog.getByRole("alert")).toHaveTextContent("Give a reason in one line.");
  });

  it.each([409, 422])("shows the server's refusal (%s)", async (status) => {
    const problem = { title: "", status, code: "conflict", detail: "solve x is completed" };
    vi.stubGlobal("fetch", async () => Response.json(problem, { status }));
    show();
    await userEvent.keyboard("b");
    await userEvent.type(screen.getByLabelText("Reason"), "because{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("solve x is completed");
  });
});

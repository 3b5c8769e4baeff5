import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { QuestionView } from "@/api/types";
import { Questions } from "@/features/solve/questions/Questions";
import { Refused, serve } from "@/testing/fakeServer";
import { aLane, someFacts, T0 } from "@/testing/solveBuilders";

const PATH = "POST /api/solves/solve-1/questions/q-1";

function aQuestion(over: Partial<QuestionView> = {}): QuestionView {
  return {
    id: "q-1",
    key: "expectation:t.py::old",
    kind: "expectation",
    text: "Should t.py::old expect 4 from now on?",
    choices: [
      { id: "accept", text: "yes" },
      { id: "reject", text: "no" },
    ],
    runs: ["run-a"],
    detail: "- assert total == 3\n+ assert total == 4",
    asked_at: T0,
    choice: null,
    answered_by: "",
    answered_at: null,
    ...over,
  };
}

function show(...questions: QuestionView[]) {
  const client = new QueryClient({ defaultOptions: { mutations: { retry: false } } });
  const diff = vi.fn();
  const lanes = new Map([["run-a", aLane()]]);
  const { container } = render(
    <QueryClientProvider client={client}>
      <Questions solveId="solve-1" facts={someFacts({ questions })} lanes={lanes} diff={diff} />
    </QueryClientProvider>,
  );
  return { container, diff };
}

test("shows nothing without a question", () => {
  expect(show().container).toBeEmptyDOMElement();
});

test("shows what is needed to decide and sends the choice", async () => {
  const requests = serve({ [PATH]: {} });
  const { diff } = show(aQuestion());
  const panel = screen.getByRole("region", { name: "Needs you" });
  expect(within(panel).getByRole("heading", { level: 3 })).toHaveTextContent("expect 4");
  expect(within(panel).getByText(/assert total == 3/)).toBeVisible();
  const user = userEvent.setup();
  await user.click(within(panel).getByRole("button", { name: /diff of opus-t0.0-test-first/ }));
  expect(diff).toHaveBeenCalledWith("run-a");
  await user.click(within(panel).getByRole("button", { name: "yes" }));
  expect(requests).toEqual([{ route: PATH, query: {}, body: { choice: "accept" } }]);
});

test("says why an answer was refused", async () => {
  serve({ [PATH]: new Refused(409, "wim has answered this question already: reject") });
  show(aQuestion());
  await userEvent.setup().click(screen.getByRole("button", { name: "yes" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("wim has answered");
});

test("says who answered, and leaves the other question open", () => {
  const answered = { choice: "accept", answered_by: "wim", answered_at: T0 };
  show(aQuestion(answered), aQuestion({ id: "q-2", text: "And --total?" }));
  expect(screen.getByText(/answered by/)).toHaveTextContent("wim");
  expect(screen.getByText("yes", { selector: "strong *" })).toBeVisible();
  expect(screen.getAllByRole("heading", { level: 3 })).toHaveLength(1);
});

test("shows foreign text as text, with what is hidden in it", () => {
  const evil = "<img src=x onerror=alert(1)>\u202e";
  const { container } = show(
    aQuestion({ text: evil, detail: evil, choices: [{ id: "accept", text: evil }] }),
  );
  expect(container.querySelector("img")).toBeNull();
  expect(screen.getAllByText("U+202E")).toHaveLength(3);
});

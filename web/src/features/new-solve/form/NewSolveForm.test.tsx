import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { configure, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FOLDER, MODELS } from "@/features/new-solve/state/builders";
import { Component } from "@/routes/NewSolvePage";

// The client keeps the Request that there is when it is made; Node's own wants whole addresses.
vi.hoisted(() => {
  const Whole = globalThis.Request;
  globalThis.Request = class extends Whole {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      const { signal: _, ...rest } = init ?? {};
      super(typeof input === "string" ? new URL(input, "http://localhost") : input, rest);
    }
  };
});

// A busy machine is no failure.
configure({ asyncUtilTimeout: 8000 });
vi.setConfig({ testTimeout: 30_000 });

interface Answer {
  status?: number;
  body: unknown;
}
type Answers = Record<string, (body: unknown) => Answer>;

let asked: { route: string; body: unknown; key: string | null }[] = [];

const FORECAST = {
  total: 4,
  starting: 4,
  not_started: 0,
  contestants: [],
  max_parallel: 3,
  free: false,
  cost_usd: { low: 3, high: 9 },
  ceiling_usd: 10,
  lacks: [],
  seconds: { low: 840, high: 840 },
  folder: null,
  command: "yudai solve /home/ada/passbook",
};

const USUAL: Answers = {
  "GET /api/models": () => ({ body: { models: MODELS } }),
  "GET /api/repos": () => ({ body: { repos: [{ repo_path: FOLDER, repo_url: "" }] } }),
  "POST /api/forecasts": (ask) => ({ body: { ...FORECAST, ask } }),
  "POST /api/solves": () => ({ status: 202, body: { id: "solve-1" } }),
  "POST /api/demo": () => ({ status: 202, body: { id: "demo-1" } }),
};

function serve(answers: Answers = {}) {
  vi.stubGlobal("fetch", async (request: Request) => {
    const route = `${request.method} ${new URL(request.url).pathname}`;
    const text = await request.text();
    const body: unknown = text ? JSON.parse(text) : null;
    asked.push({ route, body, key: request.headers.get("Idempotency-Key") });
    const answer = { ...USUAL, ...answers }[route]?.(body) ?? { status: 404, body: {} };
    return Response.json(answer.body, { status: answer.status ?? 200 });
  });
}

const sent = (route: string) => asked.filter((each) => each.route === route);

const Solve = () => <h1>The race</h1>;

function open(at = "/new", solvePage: () => Promise<object> = async () => ({ Component: Solve })) {
  const router = createMemoryRouter(
    [
      { path: "/new", element: <Component /> },
      { path: "/solves/:id", lazy: solvePage },
    ],
    { initialEntries: [at] },
  );
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { router, user: userEvent.setup() };
}

const READY = `/new?repo=${FOLDER}&issue=Leap`;
const start = () => screen.getByRole("button", { name: /^Start/ });

beforeEach(() => {
  asked = [];
  sessionStorage.clear();
});
afterEach(() => vi.unstubAllGlobals());

test("from an address to the race, once, with a key", async () => {
  serve();
  const { router, user } = open(READY);
  await waitFor(() => expect(screen.getByText("$3–9")).toBeVisible());
  expect(start()).toHaveAccessibleName("Start 4 contestants, at most $10");
  await user.click(start());
  await screen.findByText("The race");
  expect(router.state.location.pathname).toBe("/solves/solve-1");
  const [solve] = sent("POST /api/solves");
  expect(solve?.key).toBeTruthy();
  expect(solve?.body).toMatchObject({ repo_path: FOLDER, issue_text: "Leap" });
});

test("a change while the solve's page loads does not call the browser back", async () => {
  serve();
  let load = (_page: object) => {};
  const page = new Promise<object>((resolve) => {
    load = resolve;
  });
  const { router, user } = open(READY, () => page);
  await waitFor(() => expect(screen.getByText("$3–9")).toBeVisible());
  await user.click(start());
  await waitFor(() => expect(router.state.navigation.location?.pathname).toBe("/solves/solve-1"));
  await user.type(screen.getByLabelText("Title"), "!");
  // Longer than the pause after which the form writes its content to the URL.
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(router.state.navigation.location?.pathname).toBe("/solves/solve-1");
  load({ Component: Solve });
  await screen.findByText("The race");
  expect(router.state.location.pathname).toBe("/solves/solve-1");
});

test("an empty form says next to each field what is missing, and goes to the first", async () => {
  serve();
  const { user } = open();
  await screen.findByRole("checkbox", { name: /gpt-5-mini/ });
  await user.click(start());
  const repo = screen.getByLabelText("Repository or folder");
  expect(repo).toHaveFocus();
  expect(repo).toHaveAccessibleDescription(/name a folder/);
  expect(screen.getByLabelText("Title")).toHaveAccessibleDescription(/say what to solve/);
  await user.click(screen.getByRole("button", { name: "title" }));
  expect(screen.getByLabelText("Title")).toHaveFocus();
  expect(sent("POST /api/solves")).toHaveLength(0);
});

test("what the server refuses stands next to its field until the field is changed", async () => {
  const errors = [{ field: "limits.budget_usd", message: "the cost cap is too low" }];
  serve({ "POST /api/solves": () => ({ status: 422, body: { detail: "no", errors } }) });
  const { user } = open(READY);
  await user.click(start());
  const budget = screen.getByLabelText("Budget");
  await waitFor(() => expect(budget).toHaveFocus());
  expect(budget).toHaveAccessibleDescription("the cost cap is too low");
  await user.type(budget, "0");
  expect(budget).not.toHaveAccessibleDescription("the cost cap is too low");
});

test("an error of no field stands above the button; the same content keeps its key", async () => {
  serve({ "POST /api/solves": () => ({ status: 503, body: { detail: "try again in a moment" } }) });
  const { user } = open(READY);
  await user.click(start());
  const told = await screen.findByText("try again in a moment");
  await waitFor(() => expect(told.closest("p")).toHaveFocus());
  await user.click(start());
  await waitFor(() => expect(sent("POST /api/solves")).toHaveLength(2));
  const [first, second] = sent("POST /api/solves");
  expect(second?.key).toBe(first?.key);
});

test("without an estimate the form still counts, and says so", async () => {
  serve({ "POST /api/forecasts": () => ({ status: 500, body: { detail: "our fault" } }) });
  const { user } = open(READY);
  await screen.findByText(/The estimate is not available/);
  expect(start()).toHaveAccessibleName("Start 4 contestants, at most $2");
  await user.click(screen.getByRole("button", { name: "Ask again" }));
  await waitFor(() => expect(sent("POST /api/forecasts").length).toBeGreaterThan(1));
});

test("a line-up, and one contestant", async () => {
  serve();
  const { user } = open(READY);
  await user.click(await screen.findByRole("checkbox", { name: /gpt-4\.1/ }));
  await user.click(screen.getByRole("checkbox", { name: /small-steps/ }));
  expect(screen.getByText("9 contestants")).toBeVisible();
  await user.click(screen.getByRole("switch", { name: /Arena/ }));
  const strategies = screen.getByRole("group", { name: "Strategy" });
  await user.click(within(strategies).getByRole("radio", { name: /minimal-fix/ }));
  expect(start()).toHaveAccessibleName(/^Start 1 contestant/);
  await waitFor(() =>
    expect(sent("POST /api/forecasts").at(-1)?.body).toMatchObject({
      matrix: { models: ["openai/gpt-5-mini"], strategies: ["minimal-fix"] },
    }),
  );
});

test("a model that nobody knows needs a price", async () => {
  serve();
  const { user } = open(READY);
  await screen.findByRole("checkbox", { name: /gpt-4\.1/ });
  await user.type(screen.getByRole("searchbox"), "acme/new{Enter}");
  const price = screen.getByRole("group", { name: "Price of acme/new" });
  expect(screen.getByText(/^The estimate needs/)).toBeVisible();
  await user.type(within(price).getByLabelText("$ in"), "1.5");
  await user.type(within(price).getByLabelText("$ out"), "6");
  await waitFor(() =>
    expect(sent("POST /api/forecasts").at(-1)?.body).toMatchObject({
      prices: { "acme/new": { input_usd: 1.5, output_usd: 6 } },
    }),
  );
});

test("any other temperature, and one that is none", async () => {
  serve();
  const { user } = open(READY);
  const other = screen.getByLabelText("Another value for temperatures");
  await user.type(other, "3{Enter}");
  expect(other).toHaveAccessibleDescription("from 0 to 2");
  await user.clear(other);
  await user.type(other, "0.35{Enter}");
  expect(screen.getByRole("checkbox", { name: "0.35" })).toBeChecked();
  expect(sent("POST /api/solves")).toHaveLength(0);
});

test("Enter alone starts nothing, Enter with Ctrl does", async () => {
  serve();
  const { user } = open(READY);
  await user.type(screen.getByLabelText("Title"), "!{Enter}");
  expect(sent("POST /api/solves")).toHaveLength(0);
  await user.keyboard("{Control>}{Enter}{/Control}");
  await screen.findByText("The race");
});

test("the form comes back after a reload; what was typed goes into the address", async () => {
  serve();
  const { router, user } = open(READY);
  await user.type(screen.getByLabelText("Description"), "366 days");
  await user.type(screen.getByLabelText("Base branch"), "next");
  await waitFor(() => expect(router.state.location.search).toContain("base=next"));
  expect(JSON.parse(sessionStorage.getItem("yudai.ask") ?? "")).toMatchObject({
    title: "Leap",
    body: "366 days",
  });
});

test("the demo is one press away", async () => {
  serve();
  const { router, user } = open();
  await user.click(screen.getByRole("button", { name: "Watch the demo" }));
  await screen.findByText("The race");
  expect(router.state.location.pathname).toBe("/solves/demo-1");
});

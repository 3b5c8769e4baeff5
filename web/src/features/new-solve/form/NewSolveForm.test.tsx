import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FOLDER, FORECAST, MODELS } from "@/features/new-solve/state/builders";
import { Component } from "@/routes/NewSolvePage";
import { renderRoutes } from "@/testing/renderRoutes";

interface FakeResponse {
  status?: number;
  body: unknown;
}
type FakeResponses = Record<string, (body: unknown) => FakeResponse>;

let requests: { route: string; body: unknown; key: string | null }[] = [];

const USUAL: FakeResponses = {
  "GET /api/models": () => ({ body: { models: MODELS } }),
  "GET /api/repos": () => ({ body: { repos: [{ repo_path: FOLDER, repo_url: "" }] } }),
  "POST /api/forecasts": (ask) => ({ body: { ...FORECAST, ask } }),
  "POST /api/solves": () => ({ status: 202, body: { id: "solve-1" } }),
  "POST /api/demo": () => ({ status: 202, body: { id: "demo-1" } }),
};

function serve(responses: FakeResponses = {}) {
  vi.stubGlobal("fetch", async (request: Request) => {
    const route = `${request.method} ${new URL(request.url).pathname}`;
    const text = await request.text();
    const body: unknown = text ? JSON.parse(text) : null;
    requests.push({ route, body, key: request.headers.get("Idempotency-Key") });
    const response = { ...USUAL, ...responses }[route]?.(body) ?? { status: 404, body: {} };
    return Response.json(response.body, { status: response.status ?? 200 });
  });
}

const sent = (route: string) => requests.filter((request) => request.route === route);

const Solve = () => <h1>Solve page</h1>;

function open(at = "/new", solvePage: () => Promise<object> = async () => ({ Component: Solve })) {
  const routes = [
    { path: "/new", element: <Component /> },
    { path: "/solves/:id", lazy: solvePage },
  ];
  return renderRoutes(routes, at);
}

const READY = `/new?repo=${FOLDER}&issue=Leap`;
const start = () => screen.getByRole("button", { name: /^Start/ });

beforeEach(() => {
  requests = [];
  sessionStorage.clear();
});
afterEach(() => vi.unstubAllGlobals());

test("starts a solve from a URL, once, with an idempotency key", async () => {
  serve();
  const { router, user } = open(READY);
  await waitFor(() => expect(screen.getByText("$3–9")).toBeVisible());
  expect(start()).toHaveAccessibleName("Start 4 contestants, at most $10");
  await user.click(start());
  await screen.findByText("Solve page");
  expect(router.state.location.pathname).toBe("/solves/solve-1");
  const [solve] = sent("POST /api/solves");
  expect(solve?.key).toBeTruthy();
  expect(solve?.body).toMatchObject({ repo_path: FOLDER, issue_text: "Leap" });
});

test("stays on the solve page when the form changes while that page loads", async () => {
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
  await screen.findByText("Solve page");
  expect(router.state.location.pathname).toBe("/solves/solve-1");
});

test("shows what is missing at each field of an empty form, and focuses the first", async () => {
  serve();
  const { user } = open();
  await screen.findByRole("checkbox", { name: /gpt-5-mini/ });
  await user.click(start());
  const repo = screen.getByLabelText("Repository or folder");
  expect(repo).toHaveFocus();
  expect(repo).toHaveAccessibleDescription(/enter a folder/);
  expect(screen.getByLabelText("Title")).toHaveAccessibleDescription(/describe what to solve/);
  await user.click(screen.getByRole("button", { name: "title" }));
  expect(screen.getByLabelText("Title")).toHaveFocus();
  expect(sent("POST /api/solves")).toHaveLength(0);
});

test("shows a server error at its field until the field is changed", async () => {
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

test("shows other errors below the button, and keeps the key for the same content", async () => {
  serve({ "POST /api/solves": () => ({ status: 503, body: { detail: "try again in a moment" } }) });
  const { user } = open(READY);
  await user.click(start());
  const message = await screen.findByText("try again in a moment");
  await waitFor(() => expect(message.closest("p")).toHaveFocus());
  await user.click(start());
  await waitFor(() => expect(sent("POST /api/solves")).toHaveLength(2));
  const [first, second] = sent("POST /api/solves");
  expect(second?.key).toBe(first?.key);
});

test("counts contestants without an estimate, and says that it is missing", async () => {
  serve({ "POST /api/forecasts": () => ({ status: 500, body: { detail: "our fault" } }) });
  const { user } = open(READY);
  await screen.findByText(/The estimate is not available/);
  expect(start()).toHaveAccessibleName("Start 4 contestants, at most $2");
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(sent("POST /api/forecasts").length).toBeGreaterThan(1));
});

test("counts the contestants of a line-up and of a single one", async () => {
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

test("requires a price for an unknown model", async () => {
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

test("accepts any valid temperature and rejects an invalid one", async () => {
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

test("starts on Ctrl+Enter, and not on Enter alone", async () => {
  serve();
  const { user } = open(READY);
  await user.type(screen.getByLabelText("Title"), "!{Enter}");
  expect(sent("POST /api/solves")).toHaveLength(0);
  await user.keyboard("{Control>}{Enter}{/Control}");
  await screen.findByText("Solve page");
});

test("restores the form after a reload, and keeps short values in the URL", async () => {
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

test("starts the demo with one click", async () => {
  serve();
  const { router, user } = open();
  await user.click(screen.getByRole("button", { name: "Watch the demo" }));
  await screen.findByText("Solve page");
  expect(router.state.location.pathname).toBe("/solves/demo-1");
});

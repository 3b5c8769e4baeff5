import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { api } from "@/api/client";
import type { SolveView, UpdatesView } from "@/api/types";
import { useLiveSolves } from "@/live/store";
import { Component } from "@/routes/SolvePage";
import { renderRoutes } from "@/testing/renderRoutes";
import { aLane, anUpdate, aPlace, aSolve, someFacts, T0 } from "@/testing/solveBuilders";

const PATCH =
  "diff --git a/passbook/ledger.py b/passbook/ledger.py\n--- a/passbook/ledger.py\n+++ b/passbook/ledger.py\n@@ -1 +1 @@\n-a\n+b\n";

interface Server {
  updates: Partial<UpdatesView> | number;
  facts: Partial<SolveView>;
  posts: { path: string; body: unknown }[];
  refusal: { status: number; detail: string } | null;
}

let server: Server;

interface RequestOptions {
  params?: { path?: Record<string, string> };
  body?: unknown;
}

function respond(data: unknown, status = 200) {
  const response = new Response(null, { status });
  return Promise.resolve(status < 300 ? { data, response } : { error: data, response });
}

function get(path: string) {
  if (path.endsWith("/updates")) {
    if (typeof server.updates === "number") return respond({ detail: "no solve" }, server.updates);
    return respond(anUpdate(server.updates));
  }
  if (path === "/api/solves/{solve_id}") return respond(someFacts(server.facts));
  if (path === "/api/health/live") return respond({ status: "ok", version: "1" });
  return respond({ detail: "not yet" }, 404);
}

function post(template: string, { params, body = null }: RequestOptions) {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => params?.path?.[name] ?? "");
  server.posts.push({ path, body });
  if (server.refusal) return respond(server.refusal, server.refusal.status);
  return respond({
    run_id: "run-a",
    handle: "x",
    root: "/home/ada/passbook",
    paths: ["passbook/ledger.py"],
    branch: "",
    commit: "",
  });
}

beforeEach(() => {
  server = { updates: {}, facts: {}, posts: [], refusal: null };
  useLiveSolves.setState({ solves: new Map() });
  vi.spyOn(api, "GET").mockImplementation(get as never);
  vi.spyOn(api, "POST").mockImplementation(post as never);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(PATCH)));
});

const ENDED = {
  solve: aSolve({ state: "awaiting_review", champion: "run-a", finished_at: T0 + 60 }),
  lanes: [
    aLane({
      id: "run-b",
      handle: "gpt-test-first",
      state: "failed",
      cause: "out_of_steps",
      rank: 2,
      finished_at: T0 + 20,
    }),
    aLane({
      state: "completed",
      verdict: "passed",
      rank: 1,
      finished_at: T0 + 31,
      tests: { passed: 48, failed: 0, total: 48 },
    }),
  ],
} satisfies Partial<UpdatesView>;
const RANKING = [
  aPlace(),
  aPlace({
    rank: 2,
    run_id: "run-b",
    handle: "gpt-test-first",
    state: "failed",
    cause: "out_of_steps",
    why: "the step limit was reached before it submitted",
  }),
];

function show(search = "") {
  const routes = [
    { path: "/solves/:solveId", element: <Component /> },
    { path: "/solves/:solveId/compare", element: <p>compared</p> },
  ];
  return renderRoutes(routes, `/solves/solve-1${search}`).router;
}

test("shows the champion first with the deciding rule, and the failed run with its cause", async () => {
  server.updates = ENDED;
  server.facts = { ranking: RANKING };
  show();
  const lanes = await screen.findByRole("region", { name: "Lanes" });
  const [first, second] = within(lanes).getAllByRole("listitem");
  expect(first).toHaveTextContent("champion");
  expect(first).toHaveTextContent("48/48");
  expect(second).toHaveTextContent("the step limit was reached before it submitted");
  const outcome = await screen.findByRole("region", { name: "Outcome" });
  await waitFor(() => expect(outcome).toHaveTextContent("the step limit was reached"));
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Two equal purchases");
});

test("names the closest run when there is no champion", async () => {
  server.updates = { ...ENDED, solve: aSolve({ state: "completed", champion: null }) };
  server.facts = { ranking: [aPlace({ why: "unproved: no test was red" })] };
  show();
  const outcome = await screen.findByRole("region", { name: "Outcome" });
  await waitFor(() => expect(outcome).toHaveTextContent("closest was opus-t0.0-test-first"));
});

test("keeps axis, open runs and picks in the URL, by key and by click", async () => {
  server.updates = ENDED;
  const router = show();
  const user = userEvent.setup();
  await screen.findByRole("region", { name: "Lanes" });
  await user.keyboard("c");
  expect(router.state.location.search).toContain("axis=cost");
  await user.keyboard("1");
  expect(router.state.location.search).toContain("open=run-a");
  await user.click(screen.getByRole("checkbox", { name: "Pick gpt-test-first to compare" }));
  expect(router.state.location.search).toContain("pick=run-b");
  (document.activeElement as HTMLElement).blur();
  await user.keyboard("v");
  expect(await screen.findByText("compared")).toBeInTheDocument();
  expect(router.state.location.search).toBe("?a=run-a&b=run-b");
});

test("stops a run after a confirmation", async () => {
  server.updates = { lanes: [aLane()], terminal: false, poll_ms: 60_000 };
  show();
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Stop opus-t0.0-test-first" }));
  expect(server.posts).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Stop the run" }));
  await waitFor(() => expect(server.posts[0]?.path).toBe("/api/runs/run-a/cancel"));
});

test("shows files and folder before applying, and the server's refusal", async () => {
  server.updates = ENDED;
  server.facts = { ranking: RANKING };
  server.refusal = { status: 409, detail: "passbook/ledger.py has changed since" };
  show();
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Apply" }));
  const dialog = screen.getByRole("dialog");
  expect(dialog).toHaveTextContent("/home/ada/passbook");
  expect(await within(dialog).findByText("passbook/ledger.py")).toBeInTheDocument();
  await user.click(within(dialog).getByRole("button", { name: "Change the files" }));
  expect(await within(dialog).findByRole("alert")).toHaveTextContent("has changed since");
  expect(server.posts).toEqual([
    { path: "/api/solves/solve-1/apply", body: { run_id: "run-a", branch: "" } },
  ]);
  server.refusal = null;
  await user.click(within(dialog).getByRole("radio", { name: "To a new branch" }));
  await user.click(within(dialog).getByRole("button", { name: "Create the branch" }));
  expect(await screen.findByRole("dialog", { name: "The files were changed" })).toBeInTheDocument();
  expect(server.posts[1]?.body).toEqual({
    run_id: "run-a",
    branch: "yudai/12-two-equal-purchases",
  });
});

test("shows agent output as text", async () => {
  const last = '<img src=x onerror="alert(1)">\u202e';
  server.updates = { lanes: [aLane({ last_action: last })] };
  show();
  const lanes = await screen.findByRole("region", { name: "Lanes" });
  expect(lanes).toHaveTextContent('<img src=x onerror="alert(1)">U+202E');
  expect(lanes.querySelector("img")).toBeNull();
});

test("shows a notice when the solve does not exist", async () => {
  server.updates = 404;
  show();
  expect(await screen.findByText("There is no such solve")).toBeInTheDocument();
});

import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { FOLDER, FORECAST, MODELS } from "@/features/new-solve/state/builders";
import { Component } from "@/routes/NewSolvePage";
import { Refused, serve, signedIn } from "@/testing/fakeServer";
import { renderRoutes } from "@/testing/renderRoutes";

const PREVIEW = {
  repo: "o/r",
  issue: { title: "Leap <img src=x> years", body: "366 days", number: 12 },
  facts: {
    url: "https://github.com/o/r/issues/12",
    author: "carol",
    taken_at: 0,
    comments_used: 1,
    comments_left_out: 3,
    hidden_comments: 2,
    hidden_characters: 1,
    was_cut: false,
  },
  is_open: true,
  labels: ["bug"],
  characters: 30,
  tokens: 8,
};
const USUAL = {
  "GET /api/me": signedIn({ mode: "local" }),
  "GET /api/models": { models: MODELS },
  "GET /api/repos": { repos: [] },
  "GET /api/forge/repos/o/r/issues/12": PREVIEW,
  "POST /api/forecasts": { ...FORECAST, ask: { repo_url: "https://github.com/O/r" } },
  "POST /api/solves": { id: "solve-1" },
};

function open(at: string) {
  const routes = [
    { path: "/new", element: <Component /> },
    { path: "/solves/:id", element: <h1>Solve page</h1> },
    { path: "/repos", element: <h1>Repositories page</h1> },
  ];
  return renderRoutes(routes, at);
}

const start = () => screen.getByRole("button", { name: /^Start/ });
const bodyOf = (requests: ReturnType<typeof serve>, route: string) =>
  requests.findLast((request) => request.route === route)?.body;

beforeEach(() => sessionStorage.clear());

test("previews the issue of owner/repo#12 with what was stripped, and starts a solve", async () => {
  const requests = serve(USUAL);
  const { user } = open("/new");
  const repo = await screen.findByLabelText("Repository or folder");
  await user.type(repo, "o/r#12{Tab}");
  expect(repo).toHaveValue("o/r");
  expect(screen.getByLabelText("Issue number")).toHaveValue("12");
  const issue = await screen.findByRole("article", { name: "What contestants will read" });
  expect(issue).toHaveTextContent("Leap <img src=x> years");
  expect(issue).toHaveTextContent("2 hidden comments stripped");
  expect(issue).toHaveTextContent("1 invisible character stripped");
  expect(issue).toHaveTextContent("3 comments left out");
  expect(issue.querySelector("img")).toBeNull();
  await user.click(screen.getByRole("radio", { name: /^automatically/ }));
  const expected = { repo_url: "o/r", issue_number: 12, publish: "auto" };
  await waitFor(() => expect(bodyOf(requests, "POST /api/forecasts")).toMatchObject(expected));
  await waitFor(() => expect(repo).toHaveAccessibleDescription(/https:\/\/github.com\/O\/r/));
  await user.click(start());
  await screen.findByText("Solve page");
  expect(bodyOf(requests, "POST /api/solves")).toMatchObject(expected);
});

test("shows the forge's error at its field, and offers the issue as text", async () => {
  const refused = new Refused(422, "no", [{ field: "issue_number", message: "no such issue" }]);
  serve({ ...USUAL, "POST /api/forecasts": refused, "POST /api/solves": refused });
  const { user } = open("/new?repo=o/r&issue=12");
  await screen.findByRole("article", { name: "What contestants will read" });
  await user.click(start());
  const number = screen.getByLabelText("Issue number");
  await waitFor(() => expect(number).toHaveAccessibleDescription("no such issue"));
  await user.click(screen.getByRole("radio", { name: "as text" }));
  expect(screen.getByLabelText("Title")).toBeVisible();
  expect(screen.queryByRole("article")).toBeNull();
});

test("shows an error for a missing issue, and requests none from another host", async () => {
  const requests = serve(USUAL);
  const { user } = open("/new?repo=o/r&issue=13");
  expect(await screen.findByText(/nothing at GET .*issues\/13/)).toBeVisible();
  const repo = screen.getByLabelText("Repository or folder");
  await user.clear(repo);
  await user.type(repo, "https://other.example/o/r/issues/12{Tab}");
  await waitFor(() => expect(screen.queryByText(/nothing at GET/)).toBeNull());
  const previews = requests.filter(({ route }) => route.includes("/issues/"));
  expect(previews.map(({ route }) => route)).toEqual(["GET /api/forge/repos/o/r/issues/13"]);
});

test("accepts no folders and hides the demo when users sign in", async () => {
  const requests = serve({ ...USUAL, "GET /api/me": signedIn() });
  const { user, router } = open(`/new?repo=${FOLDER}&issue=Leap`);
  const repo = await screen.findByLabelText("Repository");
  expect(screen.queryByRole("button", { name: "Watch the demo" })).toBeNull();
  expect(screen.queryByLabelText("Include uncommitted changes")).toBeNull();
  await user.click(start());
  expect(repo).toHaveAccessibleDescription(/folders work only on your own machine/);
  expect(bodyOf(requests, "POST /api/solves")).toBeUndefined();
  await user.click(screen.getByRole("link", { name: /^Pick an issue/ }));
  expect(router.state.location.pathname).toBe("/repos");
});

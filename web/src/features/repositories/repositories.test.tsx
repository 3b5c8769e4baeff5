import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { IssueLine, Me, RepoLine } from "@/api/types";
import { matching, pageOf } from "@/features/repositories/filter";
import { Component as IssuesPage } from "@/routes/IssuesPage";
import { Component as ReposPage } from "@/routes/RepositoriesPage";
import { FORGE, Refused, serve, signedIn } from "@/testing/fakeServer";
import { PAYLOADS } from "@/testing/payloads";
import { renderRoutes } from "@/testing/renderRoutes";

function aRepo(over: Partial<RepoLine> = {}): RepoLine {
  return {
    name: "octo/passbook",
    url: "https://github.com/octo/passbook",
    default_branch: "main",
    is_private: false,
    is_archived: false,
    role: "write",
    description: "Keeps a ledger",
    open_issues: 3,
    pushed_at: 1_700_000_000,
    ...over,
  };
}

function anIssue(over: Partial<IssueLine> = {}): IssueLine {
  return {
    number: 12,
    title: "Two purchases",
    author: "carol",
    labels: ["bug"],
    comments: 2,
    created_at: 1_700_000_000,
    updated_at: 1_700_000_100,
    url: "https://github.com/octo/passbook/issues/12",
    ...over,
  };
}

function open(at: string, me: Partial<Me> = {}) {
  const routes = [
    { path: "/repos", element: <ReposPage /> },
    { path: "/repos/:owner/:name", element: <IssuesPage /> },
    { path: "/new", element: <h1>The form</h1> },
  ];
  return renderRoutes(routes, at, signedIn(me));
}

const REPOS = "GET /api/forge/repos";
const ISSUES = "GET /api/forge/repos/octo/passbook/issues";

describe("repositories", () => {
  test("are filtered by typing, show their properties, and link to their issues", async () => {
    const other = aRepo({ name: "ada/notes", is_private: true, is_archived: true, role: "admin" });
    serve({ [REPOS]: { forge: FORGE, repos: [aRepo(), other] } });
    const { router, user } = open("/repos");
    const list = await screen.findByRole("list", { name: "Repositories" });
    expect(within(list).getAllByRole("listitem")[1]).toHaveTextContent(
      /ada\/notes.*private.*archived.*admin/,
    );
    await user.type(screen.getByRole("searchbox"), "LEDGER octo");
    expect(within(list).getAllByRole("listitem")).toHaveLength(1);
    expect(router.state.location.search).toBe("?q=LEDGER+octo");
    await user.type(screen.getByRole("searchbox"), "x");
    expect(screen.getByText("No repository matches")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Show all" }));
    (document.activeElement as HTMLElement).blur();
    await user.keyboard("j");
    expect(screen.getByRole("link", { name: /octo\/passbook/ })).toHaveFocus();
    await user.keyboard("o");
    expect(router.state.location.pathname).toBe("/repos/octo/passbook");
  });

  test("show how to sign in when the forge has no credentials", async () => {
    const detail = "the forge requires a login: run `yudai login`, or set GITHUB_TOKEN";
    serve({ [REPOS]: new Refused(403, detail) });
    open("/repos", { mode: "local" });
    expect(await screen.findByText(detail)).toBeVisible();
    expect(screen.getByText("yudai login")).toBeVisible();
    expect(screen.getByRole("button", { name: "Try again" })).toBeVisible();
  });

  test("show a notice when there are none, and an error when the forge is down", async () => {
    serve({ [REPOS]: { forge: FORGE, repos: [] } });
    open("/repos");
    expect(await screen.findByText("You have no repositories there")).toBeVisible();
    serve({ [REPOS]: new Refused(503, "the forge cannot be reached") });
    open("/repos");
    expect(await screen.findByRole("alert")).toHaveTextContent("cannot be reached");
  });

  test("match words in any order", () => {
    expect(matching([aRepo()], "passbook keeps")).toHaveLength(1);
    expect(matching([aRepo()], "other")).toHaveLength(0);
  });
});

describe("issues", () => {
  const issuesPage = (issues: IssueLine[], has_more = false) => ({
    repo: aRepo(),
    issues,
    page: 1,
    has_more,
  });

  test("link to a new solve", async () => {
    serve({ [ISSUES]: issuesPage([anIssue()]) });
    const { router, user } = open("/repos/octo/passbook");
    const row = (await screen.findAllByRole("listitem"))[0] as HTMLElement;
    expect(row).toHaveTextContent(/#12 Two purchases.*bug.*by carol.*2 comments/);
    await user.click(within(row).getByRole("link", { name: "Solve #12" }));
    expect(router.state.location.pathname).toBe("/new");
    expect(router.state.location.search).toBe("?repo=octo%2Fpassbook&issue=12");
  });

  test("send words, label and page to the server, and start a new search on page 1", async () => {
    const requests = serve({ [ISSUES]: issuesPage([anIssue()], true) });
    const { router, user } = open("/repos/octo/passbook");
    await user.click(await screen.findByRole("button", { name: "Older" }));
    await waitFor(() => expect(requests.at(-1)?.query).toEqual({ q: "", label: "", page: 2 }));
    await user.click(screen.getByRole("button", { name: /bug/ }));
    await waitFor(() => expect(requests.at(-1)?.query).toEqual({ q: "", label: "bug", page: 1 }));
    await user.type(screen.getByRole("searchbox"), "twice");
    await waitFor(() =>
      expect(requests.at(-1)?.query).toEqual({ q: "twice", label: "bug", page: 1 }),
    );
    expect(router.state.location.search).toBe("?q=twice&label=bug");
    await user.click(screen.getByRole("button", { name: /remove/ }));
    await waitFor(() => expect(router.state.location.search).toBe("?q=twice"));
  });

  test("show a notice for no match, no issues and an unknown repository", async () => {
    serve({ [ISSUES]: issuesPage([]) });
    open("/repos/octo/passbook?q=x");
    expect(await screen.findByText("No open issue matches")).toBeVisible();
    open("/repos/octo/passbook");
    expect(await screen.findByText("There are no open issues")).toBeVisible();
    serve({});
    open("/repos/octo/gone");
    expect(await screen.findByText(/This repository does not exist/)).toBeVisible();
  });

  test("show text written by others as text, with links to the forge only", async () => {
    const text = PAYLOADS.join(" ");
    const hostile = anIssue({
      title: text,
      author: text,
      labels: [text],
      url: "javascript:alert(1)",
    });
    const repo = aRepo({ description: text, url: "https://evil.example/" });
    serve({ [ISSUES]: { ...issuesPage([hostile]), repo } });
    const { container } = open("/repos/octo/passbook");
    await screen.findByRole("link", { name: "Solve #12" });
    expect(container.querySelector("script, img, svg, iframe, form, style, meta")).toBeNull();
    expect(container.querySelector("a[target], a[href*='evil'], a[href^='javascript']")).toBeNull();
  });

  test.each([
    ["3", 3],
    [null, 1],
    ["0", 1],
    ["x", 1],
    ["1e9", 1000],
  ])("page %s", (text, page) => expect(pageOf(text)).toBe(page));
});

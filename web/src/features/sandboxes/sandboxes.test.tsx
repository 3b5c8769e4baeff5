import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { configure, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Me } from "@/api/types";
import { Component as SandboxesPage } from "@/routes/SandboxesPage";
import { type Asked, Refused, serve, someone } from "@/testing/fakeServer";
import { PAYLOADS } from "@/testing/payloads";
import { aBase, aLeftover, aLook, aSandbox, NO_TAGS, RUN, SOLVE } from "./builders";

configure({ asyncUtilTimeout: 8000 });
vi.setConfig({ testTimeout: 30_000 });

const EMPTY = {
  "GET /api/sandboxes": { sandboxes: [] },
  "GET /api/bases": { bases: [], total_bytes: 0 },
};
const REAP = "POST /api/sandboxes/reap";

function open(me: Partial<Me> = { mode: "local" }, at = "/sandboxes") {
  const router = createMemoryRouter(
    [
      { path: "/sandboxes", element: <SandboxesPage /> },
      { path: "/solves/:solveId/runs/:runId", element: <h1>The run</h1> },
    ],
    { initialEntries: [at] },
  );
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(["me"], someone(me));
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return userEvent.setup();
}

const routesOf = (asked: Asked[]) => asked.map(({ route }) => route);
const bodiesOf = (asked: Asked[]) =>
  asked.filter(({ route }) => route === REAP).map(({ body }) => body);

beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function show() {
    this.open = true;
  };
});

describe("who may see it", () => {
  test("nobody but an administrator's page asks", () => {
    const asked = serve(EMPTY);
    open({});
    expect(screen.getByText(/shown to this installation's administrators/)).toBeVisible();
    expect(asked).toEqual([]);
  });

  test("one who is no administrator any more is told so, once", async () => {
    serve({
      "GET /api/sandboxes": new Refused(403, "no"),
      "GET /api/bases": new Refused(403, "no"),
    });
    open({ is_admin: true });
    expect(await screen.findByText(/shown to this installation's administrators/)).toBeVisible();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("open sandboxes", () => {
  test("none: says what would be here and what never is", async () => {
    serve(EMPTY);
    open();
    expect(await screen.findByText(/No sandbox is open/)).toBeVisible();
    expect(await screen.findByText(/None yet/)).toBeVisible();
  });

  test("each with whose it is, where, how old, and whether somebody holds it", async () => {
    const left = aSandbox({
      id: "box2",
      external: "",
      held: false,
      owner: "doctor",
      tags: NO_TAGS,
    });
    serve({ ...EMPTY, "GET /api/sandboxes": { sandboxes: [aSandbox(), left] } });
    const user = open();
    const table = await screen.findByRole("region", { name: "Open sandboxes" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(first).toHaveTextContent("run bbbbbbbb● held2me2bi7x2kq9octo/passbook#12");
    expect(second).toHaveTextContent("doctor✗ left behind2me2bbeing created–");
    expect(screen.getByText("2 sandboxes")).toHaveTextContent("2 sandboxes, 1 left behind");
    expect(within(table).getByRole("link", { name: "octo/passbook#12" })).toHaveAttribute(
      "href",
      `/solves/${SOLVE}`,
    );
    await user.keyboard("j");
    const link = within(table).getByRole("link", { name: "run bbbbbbbb" });
    expect(link).toHaveFocus();
    expect(link).toHaveAttribute("href", `/solves/${SOLVE}/runs/${RUN}`);
    await user.keyboard("o");
    expect(await screen.findByRole("heading", { name: "The run" })).toBeVisible();
  });

  test("what cannot be read is told, and read when asked again", async () => {
    const answers: Record<string, unknown> = {
      ...EMPTY,
      "GET /api/sandboxes": new Refused(500, "the database is away"),
    };
    serve(answers);
    const user = open();
    expect(await screen.findByText("the database is away")).toBeVisible();
    answers["GET /api/sandboxes"] = { sandboxes: [aSandbox()] };
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("i7x2kq9")).toBeVisible();
  });

  test("names of providers are text", async () => {
    const sandboxes = PAYLOADS.map((text, at) =>
      aSandbox({ id: `b${at}`, external: text, owner: text, tags: { ...NO_TAGS, issue: text } }),
    );
    serve({ ...EMPTY, "GET /api/sandboxes": { sandboxes } });
    open();
    const table = await screen.findByRole("region", { name: "Open sandboxes" });
    expect(table).toHaveTextContent("<script>alert(1)</script>");
    expect(within(table).getAllByRole("row")).toHaveLength(1 + PAYLOADS.length);
    expect(table.querySelector("script, img, iframe, a, svg, style, form, object")).toBeNull();
  });
});

describe("leftovers", () => {
  test("are looked for, told, and removed only after a person said so", async () => {
    const asked = serve({
      ...EMPTY,
      [REAP]: ({ body }: Asked) => aLook({ dry_run: (body as { dry_run: boolean }).dry_run }),
    });
    const user = open();
    expect(screen.queryByRole("button", { name: "Remove them" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Look for leftovers" }));
    expect(await screen.findByText("1 leftover would be removed.")).toBeVisible();
    const list = screen.getByRole("list", { name: "Leftovers" });
    expect(list).toHaveTextContent("would be removede2b i7x2kq9its process is dead, 12m old, of");
    await user.click(screen.getByRole("button", { name: "Remove them" }));
    expect(bodiesOf(asked)).toEqual([{ dry_run: true }]);
    const before = routesOf(asked).filter((route) => route === "GET /api/sandboxes").length;
    await user.click(screen.getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("1 leftover removed.")).toBeVisible();
    expect(bodiesOf(asked)).toEqual([{ dry_run: true }, { dry_run: false }]);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.queryByRole("button", { name: "Remove them" })).toBeNull();
    await waitFor(() =>
      expect(
        routesOf(asked).filter((route) => route === "GET /api/sandboxes").length,
      ).toBeGreaterThan(before),
    );
  });

  test("none can be removed: nothing is offered, and why is told", async () => {
    const waiting = aLeftover({
      fate: "waiting",
      why: "nobody knows it",
      note: "watched for 20 s",
    });
    const failures = [{ backend: "prime", error: "the key was refused" }];
    serve({ ...EMPTY, [REAP]: aLook({ leftovers: [waiting], failures }) });
    const user = open();
    await user.click(screen.getByRole("button", { name: "Look for leftovers" }));
    expect(await screen.findByText("1 leftover being watched.")).toBeVisible();
    expect(screen.getByRole("list", { name: "Leftovers" })).toHaveTextContent("(watched for 20 s)");
    expect(screen.getByText(/could not be checked/)).toHaveTextContent(
      "prime could not be checked: the key was refused",
    );
    expect(screen.queryByRole("button", { name: "Remove them" })).toBeNull();
  });

  test("a look that fails is told, and leaves no older result", async () => {
    const answers: Record<string, unknown> = { ...EMPTY, [REAP]: aLook() };
    serve(answers);
    const user = open();
    await user.click(screen.getByRole("button", { name: "Look for leftovers" }));
    await screen.findByText("1 leftover would be removed.");
    answers[REAP] = new Refused(503, "the server is ending");
    await user.click(screen.getByRole("button", { name: "Look for leftovers" }));
    expect(await screen.findByText("the server is ending")).toBeVisible();
    expect(screen.queryByText("1 leftover would be removed.")).toBeNull();
    expect(screen.queryByRole("button", { name: "Remove them" })).toBeNull();
  });

  test("a removal that fails is told where it was asked for", async () => {
    const answers: Record<string, unknown> = { ...EMPTY, [REAP]: aLook() };
    serve(answers);
    const user = open();
    await user.click(screen.getByRole("button", { name: "Look for leftovers" }));
    await user.click(await screen.findByRole("button", { name: "Remove them" }));
    answers[REAP] = new Refused(403, "only administrators may do that");
    await user.click(screen.getByRole("button", { name: "Remove" }));
    const dialog = screen.getByRole("dialog", { name: "Remove 1 leftover?" });
    expect(await within(dialog).findByText("only administrators may do that")).toBeVisible();
  });
});

describe("prepared bases", () => {
  const two = {
    bases: [aBase({ users: 3 }), aBase({ key: "f6f3", used_at: 1_700_000_900, size_bytes: null })],
    total_bytes: 412 << 20,
  };

  test("those used last first, with their size, users and sum", async () => {
    serve({ ...EMPTY, "GET /api/bases": two });
    open();
    const table = await screen.findByRole("region", { name: "List of prepared bases" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(first).toHaveTextContent(/^f6f3bubblewrap\?.* ago.* ago0Remove$/);
    expect(second).toHaveTextContent(/^0c3b0ba1bubblewrap412\.0 MB.*3Remove$/);
    expect(screen.getByText("2 bases, at least 412.0 MB in total")).toBeVisible();
    expect(screen.getByRole("button", { name: "Remove 0c3b0ba1" })).toBeDisabled();
  });

  test("one goes after it was asked whether, by its own backend", async () => {
    const asked = serve({ ...EMPTY, "GET /api/bases": two, "DELETE /api/bases/f6f3": {} });
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Remove f6f3" }));
    expect(routesOf(asked)).not.toContain("DELETE /api/bases/f6f3");
    await user.click(screen.getByRole("button", { name: "Remove it" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const sent = asked.find(({ route }) => route === "DELETE /api/bases/f6f3");
    expect(sent?.query).toEqual({ backend: "bubblewrap" });
    await waitFor(() => expect(routesOf(asked).at(-1)).toBe("GET /api/bases"));
  });

  test("a refusal is told where it was asked for", async () => {
    const refusal = new Refused(409, "3 sandboxes stand on it");
    serve({ ...EMPTY, "GET /api/bases": two, "DELETE /api/bases/f6f3": refusal });
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Remove f6f3" }));
    await user.click(screen.getByRole("button", { name: "Remove it" }));
    const dialog = screen.getByRole("dialog", { name: "Remove this base?" });
    expect(await within(dialog).findByText("3 sandboxes stand on it")).toBeVisible();
    await user.click(within(dialog).getByRole("button", { name: "Leave it" }));
    expect(screen.queryByText("3 sandboxes stand on it")).toBeNull();
  });

  test("another backend's are asked for by its name; one that is not set up says so", async () => {
    const asked = serve({
      ...EMPTY,
      "GET /api/bases": ({ query }: Asked) =>
        query.backend === "e2b" ? new Refused(422, "set E2B_API_KEY") : two,
    });
    const user = open();
    await screen.findByRole("button", { name: "Remove f6f3" });
    await user.selectOptions(screen.getByLabelText("Backend"), "e2b");
    expect(await screen.findByText("set E2B_API_KEY")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Remove f6f3" })).toBeNull();
    await user.selectOptions(screen.getByLabelText("Backend"), "the one in use");
    expect(await screen.findByRole("button", { name: "Remove f6f3" })).toBeVisible();
    const queries = asked.filter(({ route }) => route === "GET /api/bases").map((one) => one.query);
    expect(queries.slice(0, 2)).toEqual([{}, { backend: "e2b" }]);
  });

  test("a backend in the address that there is none of is the one in use", async () => {
    const asked = serve(EMPTY);
    open({ mode: "local" }, "/sandboxes?backend=nope");
    await screen.findByText(/None yet/);
    expect(asked.find(({ route }) => route === "GET /api/bases")?.query).toEqual({});
  });
});

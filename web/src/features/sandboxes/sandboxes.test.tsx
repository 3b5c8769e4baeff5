import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { Me } from "@/api/types";
import { Component as SandboxesPage } from "@/routes/SandboxesPage";
import { type RecordedRequest, Refused, serve, signedIn } from "@/testing/fakeServer";
import { PAYLOADS } from "@/testing/payloads";
import { renderRoutes } from "@/testing/renderRoutes";
import { aBase, aLeftover, aLook, aSandbox, NO_TAGS, RUN, SOLVE } from "./builders";

const EMPTY = {
  "GET /api/sandboxes": { sandboxes: [] },
  "GET /api/bases": { bases: [], total_bytes: 0 },
};
const REAP = "POST /api/sandboxes/reap";

function open(me: Partial<Me> = { mode: "local" }, at = "/sandboxes") {
  const routes = [
    { path: "/sandboxes", element: <SandboxesPage /> },
    { path: "/solves/:solveId/runs/:runId", element: <h1>The run</h1> },
  ];
  return renderRoutes(routes, at, signedIn(me)).user;
}

const routesOf = (requests: RecordedRequest[]) => requests.map(({ route }) => route);
const bodiesOf = (requests: RecordedRequest[]) =>
  requests.filter(({ route }) => route === REAP).map(({ body }) => body);

describe("access", () => {
  test("requests sandboxes for administrators only", () => {
    const requests = serve(EMPTY);
    open({});
    expect(screen.getByText(/Only administrators of this installation/)).toBeVisible();
    expect(requests).toEqual([]);
  });

  test("shows one notice to a former administrator", async () => {
    serve({
      "GET /api/sandboxes": new Refused(403, "no"),
      "GET /api/bases": new Refused(403, "no"),
    });
    open({ is_admin: true });
    expect(await screen.findByText(/Only administrators of this installation/)).toBeVisible();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("open sandboxes", () => {
  test("shows a notice when there are none", async () => {
    serve(EMPTY);
    open();
    expect(await screen.findByText(/No sandbox is open/)).toBeVisible();
    expect(await screen.findByText(/None yet/)).toBeVisible();
  });

  test("shows owner, state, age and backend of each sandbox", async () => {
    const left = aSandbox({
      id: "sandbox2",
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

  test("shows an error with a retry", async () => {
    const responses: Record<string, unknown> = {
      ...EMPTY,
      "GET /api/sandboxes": new Refused(500, "the database is away"),
    };
    serve(responses);
    const user = open();
    expect(await screen.findByText("the database is away")).toBeVisible();
    responses["GET /api/sandboxes"] = { sandboxes: [aSandbox()] };
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("i7x2kq9")).toBeVisible();
  });

  test("shows provider names as text", async () => {
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
  test("are listed, and removed after a confirmation", async () => {
    const requests = serve({
      ...EMPTY,
      [REAP]: ({ body }: RecordedRequest) =>
        aLook({ dry_run: (body as { dry_run: boolean }).dry_run }),
    });
    const user = open();
    expect(screen.queryByRole("button", { name: "Remove them" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Check for leftovers" }));
    expect(await screen.findByText("1 leftover would be removed.")).toBeVisible();
    const list = screen.getByRole("list", { name: "Leftovers" });
    expect(list).toHaveTextContent(
      "would be removede2b i7x2kq9its process is dead, 12m old, owner",
    );
    await user.click(screen.getByRole("button", { name: "Remove them" }));
    expect(bodiesOf(requests)).toEqual([{ dry_run: true }]);
    const before = routesOf(requests).filter((route) => route === "GET /api/sandboxes").length;
    await user.click(screen.getByRole("button", { name: "Remove" }));
    expect(await screen.findByText("1 leftover removed.")).toBeVisible();
    expect(bodiesOf(requests)).toEqual([{ dry_run: true }, { dry_run: false }]);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.queryByRole("button", { name: "Remove them" })).toBeNull();
    await waitFor(() =>
      expect(
        routesOf(requests).filter((route) => route === "GET /api/sandboxes").length,
      ).toBeGreaterThan(before),
    );
  });

  test("show the reason when none can be removed", async () => {
    const waiting = aLeftover({
      fate: "waiting",
      why: "its owner is unknown",
      note: "watched for 20 s",
    });
    const failures = [{ backend: "prime", error: "the key was refused" }];
    serve({ ...EMPTY, [REAP]: aLook({ leftovers: [waiting], failures }) });
    const user = open();
    await user.click(screen.getByRole("button", { name: "Check for leftovers" }));
    expect(await screen.findByText("1 leftover being watched.")).toBeVisible();
    expect(screen.getByRole("list", { name: "Leftovers" })).toHaveTextContent("(watched for 20 s)");
    expect(screen.getByText(/could not be checked/)).toHaveTextContent(
      "prime could not be checked: the key was refused",
    );
    expect(screen.queryByRole("button", { name: "Remove them" })).toBeNull();
  });

  test("show an error of a failed check instead of the older result", async () => {
    const responses: Record<string, unknown> = { ...EMPTY, [REAP]: aLook() };
    serve(responses);
    const user = open();
    await user.click(screen.getByRole("button", { name: "Check for leftovers" }));
    await screen.findByText("1 leftover would be removed.");
    responses[REAP] = new Refused(503, "the server is ending");
    await user.click(screen.getByRole("button", { name: "Check for leftovers" }));
    expect(await screen.findByText("the server is ending")).toBeVisible();
    expect(screen.queryByText("1 leftover would be removed.")).toBeNull();
    expect(screen.queryByRole("button", { name: "Remove them" })).toBeNull();
  });

  test("show an error of a failed removal in its dialog", async () => {
    const responses: Record<string, unknown> = { ...EMPTY, [REAP]: aLook() };
    serve(responses);
    const user = open();
    await user.click(screen.getByRole("button", { name: "Check for leftovers" }));
    await user.click(await screen.findByRole("button", { name: "Remove them" }));
    responses[REAP] = new Refused(403, "only administrators may do that");
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

  test("are sorted by last use, with size, sandboxes and total", async () => {
    serve({ ...EMPTY, "GET /api/bases": two });
    open();
    const table = await screen.findByRole("region", { name: "List of prepared bases" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(first).toHaveTextContent(/^f6f3bubblewrap\?.* ago.* ago0Remove$/);
    expect(second).toHaveTextContent(/^0c3b0ba1bubblewrap412\.0 MB.*3Remove$/);
    expect(screen.getByText("2 bases, at least 412.0 MB in total")).toBeVisible();
    expect(screen.getByRole("button", { name: "Remove 0c3b0ba1" })).toBeDisabled();
  });

  test("are removed after a confirmation, by their own backend", async () => {
    const requests = serve({ ...EMPTY, "GET /api/bases": two, "DELETE /api/bases/f6f3": {} });
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Remove f6f3" }));
    expect(routesOf(requests)).not.toContain("DELETE /api/bases/f6f3");
    await user.click(screen.getByRole("button", { name: "Remove the base" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const sent = requests.find(({ route }) => route === "DELETE /api/bases/f6f3");
    expect(sent?.query).toEqual({ backend: "bubblewrap" });
    await waitFor(() => expect(routesOf(requests).at(-1)).toBe("GET /api/bases"));
  });

  test("show a refusal in the dialog", async () => {
    const refusal = new Refused(409, "3 sandboxes stand on it");
    serve({ ...EMPTY, "GET /api/bases": two, "DELETE /api/bases/f6f3": refusal });
    const user = open();
    await user.click(await screen.findByRole("button", { name: "Remove f6f3" }));
    await user.click(screen.getByRole("button", { name: "Remove the base" }));
    const dialog = screen.getByRole("dialog", { name: "Remove this base?" });
    expect(await within(dialog).findByText("3 sandboxes stand on it")).toBeVisible();
    await user.click(within(dialog).getByRole("button", { name: "Go back" }));
    expect(screen.queryByText("3 sandboxes stand on it")).toBeNull();
  });

  test("are requested for the selected backend, with an error if it is not set up", async () => {
    const requests = serve({
      ...EMPTY,
      "GET /api/bases": ({ query }: RecordedRequest) =>
        query.backend === "e2b" ? new Refused(422, "set E2B_API_KEY") : two,
    });
    const user = open();
    await screen.findByRole("button", { name: "Remove f6f3" });
    await user.selectOptions(screen.getByLabelText("Backend"), "e2b");
    expect(await screen.findByText("set E2B_API_KEY")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Remove f6f3" })).toBeNull();
    await user.selectOptions(screen.getByLabelText("Backend"), "the one in use");
    expect(await screen.findByRole("button", { name: "Remove f6f3" })).toBeVisible();
    const queries = requests
      .filter(({ route }) => route === "GET /api/bases")
      .map((request) => request.query);
    expect(queries.slice(0, 2)).toEqual([{}, { backend: "e2b" }]);
  });

  test("are those of the backend in use when the URL names an unknown one", async () => {
    const requests = serve(EMPTY);
    open({ mode: "local" }, "/sandboxes?backend=nope");
    await screen.findByText(/None yet/);
    expect(requests.find(({ route }) => route === "GET /api/bases")?.query).toEqual({});
  });
});

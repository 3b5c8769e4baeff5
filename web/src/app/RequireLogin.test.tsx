import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { configure, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import { costQuery } from "@/api/queries/installation";
import { AccountMenu } from "@/app/AccountMenu";
import { makeQueryClient } from "@/app/queryClient";
import { RequireLogin } from "@/app/RequireLogin";
import * as returnPath from "@/lib/returnPath";
import { Component as LoginPage } from "@/routes/LoginPage";
import { NOBODY, Refused, serve, someone } from "@/testing/fakeServer";
import { Failure } from "@/ui/states";

// A busy machine is no failure.
configure({ asyncUtilTimeout: 8000 });
vi.setConfig({ testTimeout: 30_000 });

function Costs() {
  const query = useQuery(costQuery(30));
  return (
    <>
      <AccountMenu />
      {query.error ? <Failure error={query.error} /> : <p>what it cost</p>}
    </>
  );
}

function open(at: string) {
  const router = createMemoryRouter(
    [
      { path: "/login", element: <LoginPage /> },
      {
        path: "*",
        element: (
          <RequireLogin>
            <Costs />
          </RequireLogin>
        ),
      },
    ],
    { initialEntries: [at] },
  );
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return router;
}

const times = (asked: { route: string }[], route: string) =>
  asked.filter((one) => one.route === route).length;

beforeEach(() => sessionStorage.clear());

test("on one's own machine there is no login anywhere", async () => {
  serve({
    "GET /api/me": someone({ mode: "local", login: "local" }),
    "GET /api/cost": {},
  });
  const router = open("/login");
  expect(await screen.findByText("what it cost")).toBeVisible();
  expect(router.state.location.pathname).toBe("/");
  expect(screen.queryByRole("button", { name: /Account/ })).toBeNull();
});

test("whoever is not signed in is sent to the login, from where the forge brings them back", async () => {
  const asked = serve({ "GET /api/me": NOBODY });
  const router = open("/cost?days=7");
  const link = await screen.findByRole("link", { name: "Sign in with GitHub" });
  expect(link).toHaveAttribute("href", "/auth/login?return_to=%2Fcost%3Fdays%3D7");
  expect(router.state.location.search).toBe("?return_to=%2Fcost%3Fdays%3D7");
  expect(times(asked, "GET /api/cost")).toBe(0);
});

test.each([
  ["forbidden", /refused the sign-in/],
  ["refused", /was not completed/],
  ["forge_unavailable", /is not responding/],
  ["<img src=x>", /sign-in failed/],
])("the way back says %s in words, and keeps where one wanted to go", async (code, words) => {
  serve({ "GET /api/me": NOBODY });
  returnPath.saveReturnPath("/cost");
  open(`/login?problem=${encodeURIComponent(code)}`);
  expect(await screen.findByRole("alert")).toHaveTextContent(words);
  expect(screen.getByRole("link", { name: /Sign in/ })).toHaveAttribute(
    "href",
    "/auth/login?return_to=%2Fcost",
  );
});

test("who is signed in is not kept at the login", async () => {
  serve({ "GET /api/me": someone(), "GET /api/cost": {} });
  const router = open("/login?return_to=%2F%2Fevil.example");
  expect(await screen.findByText("what it cost")).toBeVisible();
  expect(router.state.location.pathname).toBe("/");
});

test("a 401 leads to the login once", async () => {
  const answers: Record<string, unknown> = {
    "GET /api/me": someone(),
    "GET /api/cost": () => {
      answers["GET /api/me"] = NOBODY;
      return new Refused(401, "log in");
    },
  };
  const asked = serve(answers);
  const router = open("/cost");
  await screen.findByRole("link", { name: "Sign in with GitHub" });
  expect(router.state.location.search).toBe("?return_to=%2Fcost");
  expect(times(asked, "GET /api/me")).toBe(2);
  expect(times(asked, "GET /api/cost")).toBe(1);
});

test("a 401 to somebody who is signed in all the same is told, and sends nobody round", async () => {
  const asked = serve({ "GET /api/me": someone(), "GET /api/cost": new Refused(401, "log in") });
  const router = open("/cost");
  expect(await screen.findByText("log in")).toBeVisible();
  await waitFor(() => expect(times(asked, "GET /api/me")).toBe(2));
  expect(router.state.location.pathname).toBe("/cost");
});

test("a 403 is a sentence", async () => {
  const told = "your role in o/r is read: this needs triage, ask there for it";
  serve({ "GET /api/me": someone(), "GET /api/cost": new Refused(403, told) });
  open("/cost");
  expect(await screen.findByRole("alert")).toHaveTextContent(told);
});

test("a server that does not say who asks is told, with a way to ask again", async () => {
  const answers: Record<string, unknown> = { "GET /api/me": new Refused(418, "no tea") };
  serve(answers);
  open("/");
  expect(await screen.findByRole("alert")).toHaveTextContent("no tea");
  Object.assign(answers, { "GET /api/me": someone(), "GET /api/cost": {} });
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("what it cost")).toBeVisible();
});

test("the menu says who it is, and signs out", async () => {
  const leave = vi.spyOn(returnPath, "leave").mockImplementation(() => undefined);
  const answers: Record<string, unknown> = {
    "GET /api/me": someone({ is_admin: true, login: "ada\u202e" }),
    "GET /api/cost": {},
    "POST /api/logout": new Refused(503, "not now"),
  };
  serve(answers);
  open("/");
  const user = userEvent.setup();
  const button = await screen.findByRole("button", { name: /Account.*ada.*admin/ });
  await user.click(button);
  await user.keyboard("{Escape}");
  expect(screen.queryByText(/Signed in as/)).toBeNull();
  expect(button).toHaveFocus();
  await user.click(button);
  await user.click(screen.getByRole("button", { name: "Sign out" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("still signed in: not now");
  expect(leave).not.toHaveBeenCalled();
  answers["POST /api/logout"] = {};
  await user.click(screen.getByRole("button", { name: "Sign out" }));
  await waitFor(() => expect(leave).toHaveBeenCalledOnce());
});

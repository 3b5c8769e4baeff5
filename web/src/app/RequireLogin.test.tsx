import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import { costQuery } from "@/api/queries/installation";
import { AccountMenu } from "@/app/AccountMenu";
import { makeQueryClient } from "@/app/queryClient";
import { RequireLogin } from "@/app/RequireLogin";
import * as returnPath from "@/lib/returnPath";
import { Component as LoginPage } from "@/routes/LoginPage";
import { Refused, SIGNED_OUT, serve, signedIn } from "@/testing/fakeServer";
import { Failure } from "@/ui/states";

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

const times = (requests: { route: string }[], route: string) =>
  requests.filter((request) => request.route === route).length;

beforeEach(() => sessionStorage.clear());

test("shows no login in local mode", async () => {
  serve({
    "GET /api/me": signedIn({ mode: "local", login: "local" }),
    "GET /api/cost": {},
  });
  const router = open("/login");
  expect(await screen.findByText("what it cost")).toBeVisible();
  expect(router.state.location.pathname).toBe("/");
  expect(screen.queryByRole("button", { name: /Account/ })).toBeNull();
});

test("redirects to the login, with a return path, when signed out", async () => {
  const requests = serve({ "GET /api/me": SIGNED_OUT });
  const router = open("/cost?days=7");
  const link = await screen.findByRole("link", { name: "Sign in with GitHub" });
  expect(link).toHaveAttribute("href", "/auth/login?return_to=%2Fcost%3Fdays%3D7");
  expect(router.state.location.search).toBe("?return_to=%2Fcost%3Fdays%3D7");
  expect(times(requests, "GET /api/cost")).toBe(0);
});

test.each([
  ["forbidden", /refused the sign-in/],
  ["refused", /was not completed/],
  ["forge_unavailable", /is not responding/],
  ["<img src=x>", /sign-in failed/],
])("explains the sign-in problem %s and keeps the return path", async (code, words) => {
  serve({ "GET /api/me": SIGNED_OUT });
  returnPath.saveReturnPath("/cost");
  open(`/login?problem=${encodeURIComponent(code)}`);
  expect(await screen.findByRole("alert")).toHaveTextContent(words);
  expect(screen.getByRole("link", { name: /Sign in/ })).toHaveAttribute(
    "href",
    "/auth/login?return_to=%2Fcost",
  );
});

test("leaves the login when signed in", async () => {
  serve({ "GET /api/me": signedIn(), "GET /api/cost": {} });
  const router = open("/login?return_to=%2F%2Fevil.example");
  expect(await screen.findByText("what it cost")).toBeVisible();
  expect(router.state.location.pathname).toBe("/");
});

test("redirects to the login once on a 401", async () => {
  const responses: Record<string, unknown> = {
    "GET /api/me": signedIn(),
    "GET /api/cost": () => {
      responses["GET /api/me"] = SIGNED_OUT;
      return new Refused(401, "log in");
    },
  };
  const requests = serve(responses);
  const router = open("/cost");
  await screen.findByRole("link", { name: "Sign in with GitHub" });
  expect(router.state.location.search).toBe("?return_to=%2Fcost");
  expect(times(requests, "GET /api/me")).toBe(2);
  expect(times(requests, "GET /api/cost")).toBe(1);
});

test("shows a 401 without a redirect when still signed in", async () => {
  const requests = serve({
    "GET /api/me": signedIn(),
    "GET /api/cost": new Refused(401, "log in"),
  });
  const router = open("/cost");
  expect(await screen.findByText("log in")).toBeVisible();
  await waitFor(() => expect(times(requests, "GET /api/me")).toBe(2));
  expect(router.state.location.pathname).toBe("/cost");
});

test("shows the sentence of a 403", async () => {
  const detail = "your role in o/r is read: this needs triage, ask there for it";
  serve({ "GET /api/me": signedIn(), "GET /api/cost": new Refused(403, detail) });
  open("/cost");
  expect(await screen.findByRole("alert")).toHaveTextContent(detail);
});

test("shows the error, with a retry, when the current user is unknown", async () => {
  const responses: Record<string, unknown> = { "GET /api/me": new Refused(418, "no tea") };
  serve(responses);
  open("/");
  expect(await screen.findByRole("alert")).toHaveTextContent("no tea");
  Object.assign(responses, { "GET /api/me": signedIn(), "GET /api/cost": {} });
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("what it cost")).toBeVisible();
});

test("shows the user in the menu, and signs out", async () => {
  const leave = vi.spyOn(returnPath, "leave").mockImplementation(() => undefined);
  const responses: Record<string, unknown> = {
    "GET /api/me": signedIn({ is_admin: true, login: "ada\u202e" }),
    "GET /api/cost": {},
    "POST /api/logout": new Refused(503, "not now"),
  };
  serve(responses);
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
  responses["POST /api/logout"] = {};
  await user.click(screen.getByRole("button", { name: "Sign out" }));
  await waitFor(() => expect(leave).toHaveBeenCalledOnce());
});

import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { KeyView, LoginView, Me } from "@/api/types";
import { endWords, usedWords } from "@/features/account/ApiKeys";
import { browserOf } from "@/features/account/LoginList";
import * as returnPath from "@/lib/returnPath";
import { Component as SettingsPage } from "@/routes/SettingsPage";
import { Refused, serve, signedIn } from "@/testing/fakeServer";
import { renderRoutes } from "@/testing/renderRoutes";

function aKey(over: Partial<KeyView> = {}): KeyView {
  return {
    id: "k1",
    name: "CI",
    scopes: ["read", "run"],
    created_at: 1_700_000_000,
    expires_at: null,
    used_at: null,
    ...over,
  };
}

function aLogin(over: Partial<LoginView> = {}): LoginView {
  return {
    id: "l1",
    agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36",
    created_at: 1_700_000_000,
    seen_at: 1_700_000_000,
    expires_at: 1_900_000_000,
    present: false,
    ...over,
  };
}

const USUAL = {
  "GET /api/models": { models: [] },
  "GET /api/keys": { keys: [aKey()] },
  "GET /api/logins": { logins: [aLogin({ id: "l0", present: true }), aLogin()] },
};

function open(me: Partial<Me> = {}) {
  return renderRoutes([{ path: "*", element: <SettingsPage /> }], "/", signedIn(me)).user;
}

const routesOf = (requests: { route: string }[]) => requests.map(({ route }) => route);

test("shows neither keys nor sign-ins in local mode", async () => {
  const requests = serve(USUAL);
  open({ mode: "local" });
  await waitFor(() => expect(routesOf(requests)).toContain("GET /api/settings"));
  expect(screen.queryByRole("heading", { name: "API keys" })).toBeNull();
  expect(routesOf(requests)).not.toContain("GET /api/keys");
});

test("requests the installation's settings for administrators only", async () => {
  const requests = serve(USUAL);
  open();
  expect(await screen.findByText(/Only administrators of this installation/)).toBeVisible();
  await screen.findByText("CI");
  expect(routesOf(requests)).not.toContain("GET /api/settings");
  expect(routesOf(requests)).not.toContain("GET /api/doctor");
});

test("creates a key with the chosen options, and shows it once", async () => {
  const made = { key: "ydk_1_secret", about: aKey({ id: "k2", name: "deploy" }) };
  const requests = serve({ ...USUAL, "POST /api/keys": made });
  const user = open();
  const form = await screen.findByRole("form", { name: "New key" });
  const make = within(form).getByRole("button", { name: "Create the key" });
  expect(make).toBeDisabled();
  await user.type(within(form).getByLabelText("Name of a new key"), " deploy ");
  await user.click(within(form).getByRole("checkbox", { name: /^publish/ }));
  await user.selectOptions(within(form).getByLabelText("Valid for"), "no expiry");
  await user.click(make);
  expect(await screen.findByText("ydk_1_secret")).toBeVisible();
  expect(requests.find(({ route }) => route === "POST /api/keys")?.body).toEqual({
    name: "deploy",
    scopes: ["read", "publish"],
    days: null,
  });
  await user.click(screen.getByRole("button", { name: "I have it" }));
  expect(screen.queryByText("ydk_1_secret")).toBeNull();
});

test("shows the server's error for a new key", async () => {
  serve({ ...USUAL, "POST /api/keys": new Refused(422, "there are 50 keys already") });
  const user = open();
  await user.type(await screen.findByLabelText("Name of a new key"), "x");
  await user.click(screen.getByRole("button", { name: "Create the key" }));
  expect(await screen.findByText("there are 50 keys already")).toBeVisible();
});

test("revokes a key after a confirmation", async () => {
  const requests = serve({ ...USUAL, "DELETE /api/keys/k1": {} });
  const user = open();
  await user.click(await screen.findByRole("button", { name: "Revoke CI" }));
  expect(routesOf(requests)).not.toContain("DELETE /api/keys/k1");
  await user.click(screen.getByRole("button", { name: "Revoke the key" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(routesOf(requests)).toContain("DELETE /api/keys/k1");
});

test("ends another browser's sign-in, and signs out of this one", async () => {
  const leave = vi.spyOn(returnPath, "leave").mockImplementation(() => undefined);
  const requests = serve({ ...USUAL, "DELETE /api/logins/l1": {}, "POST /api/logout": {} });
  const user = open();
  const list = await screen.findByRole("list", { name: "Sign-ins" });
  await user.click(within(list).getByRole("button", { name: "End" }));
  await waitFor(() => expect(routesOf(requests)).toContain("DELETE /api/logins/l1"));
  expect(leave).not.toHaveBeenCalled();
  await user.click(within(list).getByRole("button", { name: "Sign out" }));
  await waitFor(() => expect(leave).toHaveBeenCalled());
  expect(routesOf(requests)).toContain("POST /api/logout");
});

test("describes keys and browsers", () => {
  expect(usedWords(aKey(), 1_700_000_060)).toBe("never used");
  expect(usedWords(aKey({ used_at: 1_700_000_000 }), 1_700_000_060)).toBe("used 1m ago");
  expect(endWords(aKey(), 0)).toBe("never expires");
  expect(endWords(aKey({ expires_at: 5 }), 6)).toBe("expired");
  expect(browserOf(aLogin().agent)).toBe("Chrome on Linux");
  expect(browserOf("Mozilla/5.0 (iPhone) Version/17 Safari/604")).toBe("Safari on iOS");
  expect(browserOf("curl/8")).toBe("curl/8");
  expect(browserOf("")).toBe("unknown browser");
});

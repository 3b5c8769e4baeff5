import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Me } from "@/api/types";
import { Shell } from "@/app/Shell";
import { signedIn } from "@/testing/fakeServer";
import { renderRoutes } from "@/testing/renderRoutes";

function open(me: Partial<Me>) {
  vi.stubGlobal("scrollTo", () => undefined);
  renderRoutes([{ path: "*", element: <Shell /> }], "/", signedIn(me));
}

test.each([
  ["a local user", { mode: "local" }, true],
  ["an administrator", { is_admin: true }, true],
  ["any other user", {}, false],
] as const)("shows sandboxes in the navigation to administrators only: %s", (_, me, isThere) => {
  open(me);
  expect(screen.getByRole("link", { name: "Settings" })).toBeInTheDocument();
  expect(screen.queryByRole("link", { name: "Sandboxes" }) !== null).toBe(isThere);
});

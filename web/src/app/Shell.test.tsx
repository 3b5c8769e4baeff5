import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, test, vi } from "vitest";
import type { Me } from "@/api/types";
import { Shell } from "@/app/Shell";
import { signedIn } from "@/testing/fakeServer";

function open(me: Partial<Me>) {
  vi.stubGlobal("scrollTo", () => undefined);
  const router = createMemoryRouter([{ path: "*", element: <Shell /> }]);
  const client = new QueryClient();
  client.setQueryData(["me"], signedIn(me));
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
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

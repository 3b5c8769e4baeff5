import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, type RouteObject, RouterProvider } from "react-router";
import { meKeys } from "@/api/queries/me";
import type { Me } from "@/api/types";

/** Renders routes at a path. Failed requests are not retried; `me` is the current user. */
export function renderRoutes(routes: RouteObject[], path = "/", me?: Me) {
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  if (me) client.setQueryData(meKeys.me, me);
  const { container } = render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { router, container, user: userEvent.setup() };
}

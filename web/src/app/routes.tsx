import type { RouteObject } from "react-router";
import { ErrorPage } from "@/app/ErrorPage";
import { RequireLogin } from "@/app/RequireLogin";
import { Shell } from "@/app/Shell";
import { Skeleton } from "@/ui/states";

/** Each page is a chunk of its own, loaded on the first visit. */
export const routes: RouteObject[] = [
  {
    path: "login",
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <Skeleton />,
    lazy: () => import("@/routes/LoginPage"),
  },
  {
    element: (
      <RequireLogin>
        <Shell />
      </RequireLogin>
    ),
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <Skeleton />,
    children: [
      {
        errorElement: <ErrorPage />,
        children: [
          { index: true, lazy: () => import("@/routes/SolvesPage") },
          { path: "new", lazy: () => import("@/routes/NewSolvePage") },
          { path: "solves/:solveId", lazy: () => import("@/routes/SolvePage") },
          { path: "solves/:solveId/runs/:runId", lazy: () => import("@/routes/TrajectoryPage") },
          { path: "solves/:solveId/compare", lazy: () => import("@/routes/ComparePage") },
          { path: "repos", lazy: () => import("@/routes/RepositoriesPage") },
          { path: "repos/:owner/:name", lazy: () => import("@/routes/IssuesPage") },
          { path: "cost", lazy: () => import("@/routes/CostPage") },
          { path: "sandboxes", lazy: () => import("@/routes/SandboxesPage") },
          { path: "settings", lazy: () => import("@/routes/SettingsPage") },
          { path: "conversations", lazy: () => import("@/routes/ConversationsPage") },
          {
            path: "conversations/:conversationId",
            lazy: () => import("@/routes/ConversationPage"),
          },
          { path: "*", lazy: () => import("@/routes/NotFoundPage") },
        ],
      },
    ],
  },
];

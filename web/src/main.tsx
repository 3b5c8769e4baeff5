import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, RouterProvider } from "react-router";
import { makeQueryClient } from "@/app/queryClient";
import { routes } from "@/app/routes";
import { followSystemTheme } from "@/lib/theme";
import "@/styles.css";

const client = makeQueryClient();
followSystemTheme();

// After a server upgrade, an open page may request a chunk that no longer exists: reload once.
// While the server is down, a reload would lose the page.
window.addEventListener("vite:preloadError", () => {
  const last = Number(sessionStorage.getItem("yudai.reloaded") ?? 0);
  if (Date.now() - last < 30_000) return;
  void fetch("/api/health/live").then(({ ok }) => {
    if (!ok) return;
    sessionStorage.setItem("yudai.reloaded", String(Date.now()));
    window.location.reload();
  }, ignored);
});

function ignored(): void {
  // The component that needs the chunk reports the failure.
}

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={createBrowserRouter(routes)} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

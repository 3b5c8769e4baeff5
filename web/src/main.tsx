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

// After an upgrade of the server an open page may ask for a part that is gone: once, anew. While the
// server is away a reload would lose what is shown.
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
  // The server is away: what needs the part says so itself.
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

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { loadEnv } from "vite";
import { defineConfig } from "vitest/config";

// The server that answers while the page is being worked on (`npm run dev`).
const SERVER = loadEnv("", ".", "YUDAI_").YUDAI_DEV_SERVER ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": new URL("src", import.meta.url).pathname } },
  build: {
    // An inlined font or image would be a `data:` URL, which the page's policy forbids.
    assetsInlineLimit: 0,
    outDir: "dist",
    sourcemap: false,
    target: "es2022",
  },
  server: {
    proxy: { "/api": { target: SERVER, changeOrigin: true, headers: { origin: SERVER } } },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
  },
});

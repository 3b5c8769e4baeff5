import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { UpdatesView } from "@/api/types";
import { useUpdates } from "@/live/useUpdates";
import { anUpdate, aSolve } from "@/testing/solveBuilders";

function Watching({ solveId }: { solveId: string }) {
  return <output>{useUpdates(solveId).solve?.state}</output>;
}

function see(visibility: "visible" | "hidden") {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(visibility);
  window.dispatchEvent(new Event("visibilitychange"));
}

function watch(solveId: string, update: Partial<UpdatesView>) {
  const server = vi.fn(async (_: Request) => Response.json(anUpdate(update)));
  vi.stubGlobal("fetch", server);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Watching solveId={solveId} />
    </QueryClientProvider>,
  );
  return server;
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("polls while the page is visible, pauses while it is hidden, and catches up at once", async () => {
  const server = watch("hidden", { terminal: false, poll_ms: 1000 });
  await pass(0);
  expect(server).toHaveBeenCalledTimes(1);
  await pass(3000);
  expect(server).toHaveBeenCalledTimes(4);
  see("hidden");
  await pass(60_000);
  expect(server).toHaveBeenCalledTimes(4);
  see("visible");
  await pass(0);
  expect(server).toHaveBeenCalledTimes(5);
});

test("ends with the solve", async () => {
  const server = watch("over", { terminal: true, solve: aSolve({ state: "completed" }) });
  await pass(0);
  expect(screen.getByRole("status")).toHaveTextContent("completed");
  await pass(60_000);
  expect(server).toHaveBeenCalledTimes(1);
});

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { patchQuery } from "@/api/queries/runs";
import type { LaneView, RunDetail } from "@/api/types";
import { GivenPatch, isGiven } from "@/features/trajectory/GivenPatch";
import type { Run } from "@/features/trajectory/useRun";
import { runOf } from "@/testing/verdicts";

function factsOf(agent: string, author: string): Run {
  const run = runOf("codex.patch");
  const contestant = { ...run.contestant, agent, author, model: "" };
  const lane = { id: run.id, handle: run.handle, state: "completed", error: "" } as LaneView;
  return {
    lane,
    run: { ...run, contestant } as unknown as RunDetail,
    attempts: [],
    isChampion: false,
    place: 1,
    total: 1,
    previous: undefined,
    next: undefined,
  };
}

function show(facts: Run) {
  const client = new QueryClient();
  const id = facts.run?.id ?? "";
  client.setQueryData(patchQuery(id, "completed").queryKey, "diff --git a/x b/x");
  const showDiff = (patch: string, label: string) => <section aria-label={label}>{patch}</section>;
  return render(
    <QueryClientProvider client={client}>
      <GivenPatch runId={id} facts={facts} showDiff={showDiff} />
    </QueryClientProvider>,
  );
}

describe("a patch that was given", () => {
  it("is shown with its author in place of messages", () => {
    show(factsOf("patch", "ada"));
    expect(screen.getByText(/By ada\. No agent ran for it/)).toBeInTheDocument();
    expect(screen.getByLabelText("the patch of codex.patch")).toHaveTextContent("diff --git");
  });

  it("names no author where it is its own", () => {
    show(factsOf("patch", "codex.patch"));
    expect(screen.queryByText(/By codex/)).toBeNull();
  });

  it("is known by its agent", () => {
    expect(isGiven(factsOf("patch", "ada"))).toBe(true);
    expect(isGiven(factsOf("mini-swe-agent", ""))).toBe(false);
  });
});

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useSearchParams } from "react-router";
import { api, ask } from "@/api/client";
import { ProblemError } from "@/api/problem";
import { patchQuery } from "@/api/queries/runs";
import { solveKeys } from "@/api/queries/solves";
import type { RunView, SolveView } from "@/api/types";
import { isSwapped, masker } from "@/features/compare/blind";
import { type Letter, pairName, pairOf, type Side } from "@/features/compare/pair";
import { parsePatch } from "@/lib/patch/parse";
import type { Patch } from "@/lib/patch/types";
import { store, useStored } from "@/lib/storage";

const NO_SEED = "default";

export interface Comparison {
  a: Side;
  b: Side;
  /** Names, models and costs are hidden, and the sides are shuffled. */
  isHidden: boolean;
  /** Replaces hidden contestant names in a text by letters. */
  mask: (text: string) => string;
}

/** The two compared runs. `revealed` is the name of a pair that a person has judged. */
export function useComparison(view: SolveView, isBlind: boolean, revealed: string) {
  const [params] = useSearchParams();
  const seed = useSeed();
  const [a, b] = [params.get("a") ?? "", params.get("b") ?? ""];
  return useMemo((): Comparison | null => {
    const pair = pairOf(view, a, b);
    if (!pair) return null;
    const isSwap = isBlind && isSwapped(seed, pair[0].id, pair[1].id);
    const [one, two] = isSwap ? [pair[1], pair[0]] : pair;
    const isHidden = isBlind && revealed !== pairName(one.id, two.id);
    const side = (letter: Letter, run: RunView): Side => ({
      letter,
      run,
      name: isHidden ? `Contestant ${letter}` : run.handle,
      isChampion: !isHidden && run.id === view.solve.champion,
    });
    const names = new Map(view.runs.map((run) => [run.handle, "another contestant"]));
    names.set(one.handle, "A").set(two.handle, "B");
    const mask = isHidden ? masker(names) : (text: string) => text;
    return { a: side("A", one), b: side("B", two), isHidden, mask };
  }, [view, a, b, isBlind, revealed, seed]);
}

/** A random seed stored in this browser, so that each pair is always shuffled the same way. */
function useSeed(): string {
  const [seed] = useStored("yudai.blind.seed", "");
  useEffect(() => {
    if (!seed) store("yudai.blind.seed", crypto.randomUUID());
  }, [seed]);
  return seed || NO_SEED;
}

export interface Patched {
  patch: Patch | null;
  isPending: boolean;
  /** The server's reason why there is no patch yet, or "". */
  missing: string;
  error: Error | null;
  retry: () => void;
}

export function usePatch(run: RunView): Patched {
  const query = useQuery(patchQuery(run.id, run.state));
  const patch = useMemo(
    () => (query.data === undefined ? null : parsePatch(query.data)),
    [query.data],
  );
  const isMissing = query.error instanceof ProblemError && query.error.code === "not_yet";
  return {
    patch,
    isPending: query.isPending,
    missing: isMissing ? (query.error?.message ?? "") : "",
    error: isMissing ? null : query.error,
    retry: () => void query.refetch(),
  };
}

export function useChoice(solveId: string, done: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: { run_id: string; reason: string }) =>
      ask(
        api.POST("/api/solves/{solve_id}/champion", {
          params: { path: { solve_id: solveId } },
          body: choice,
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: solveKeys.all });
      done();
    },
  });
}

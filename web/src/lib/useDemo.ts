import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { newKey } from "@/api/client";
import { startDemo } from "@/api/queries/newSolve";
import { solveKeys } from "@/api/queries/solves";
import type { SolveSummary } from "@/api/types";

/** Starts the bundled demo, which needs no key and no issue, and opens its page. */
export function useDemo() {
  const openSolve = useOpenSolve();
  const [key] = useState(newKey);
  return useMutation({ mutationFn: () => startDemo(key), onSuccess: openSolve });
}

/** Opens the page of a solve that was just started. */
export function useOpenSolve(): (solve: SolveSummary) => void {
  const go = useNavigate();
  const client = useQueryClient();
  return (solve) => {
    void client.invalidateQueries({ queryKey: solveKeys.all });
    void go(`/solves/${encodeURIComponent(solve.id)}`);
  };
}

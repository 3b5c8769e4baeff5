import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import {
  confirmOutcome,
  outcomesQuery,
  publicationKeys,
  publicationQuery,
  publish,
} from "@/api/queries/publication";
import { solveKeys } from "@/api/queries/solves";
import type { EventView, PublicationView, SolveView } from "@/api/types";

const OURS = /^(?:publication|outcome|pull)\./;

/** The publication as it is now, and what became of its pull request. */
export function usePublication(solveId: string, facts: SolveView, events: readonly EventView[]) {
  useFresh(solveId, events);
  const client = useQueryClient();
  const steps = useQuery(publicationQuery(solveId, facts.publication));
  const publication = newest(steps.data ?? null, facts.publication);
  const outcomes = useQuery(outcomesQuery(solveId, publication !== null));
  const stands = publication && `${publication.state} ${publication.pull_state}`;
  const before = useRef(stands);
  useEffect(() => {
    if (before.current === stands) return;
    before.current = stands;
    // A solve that is over is not polled any more: its timeline has to be asked for.
    void client.invalidateQueries({ queryKey: ["updates", solveId] });
    void client.invalidateQueries({ queryKey: publicationKeys.outcomes(solveId) });
  }, [client, solveId, stands]);
  return { publication, outcomes, error: steps.error };
}

export function newest(
  one: PublicationView | null,
  two: PublicationView | null,
): PublicationView | null {
  if (!one || !two) return one ?? two;
  return one.updated_at >= two.updated_at ? one : two;
}

/** News on the timeline: asked for anew, once each time. */
function useFresh(solveId: string, events: readonly EventView[]): void {
  const client = useQueryClient();
  const last = events.findLast(({ kind }) => OURS.test(kind))?.id ?? 0;
  const before = useRef<number | null>(null);
  const isLoaded = events.length > 0;
  useEffect(() => {
    if (!isLoaded) return;
    const isNews = before.current !== null && before.current !== last;
    before.current = last;
    if (!isNews) return;
    void client.invalidateQueries({ queryKey: publicationKeys.all(solveId) });
    void client.invalidateQueries({ queryKey: solveKeys.one(solveId) });
  }, [client, solveId, last, isLoaded]);
}

export function usePublish(solveId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => publish(solveId),
    onSuccess: (publication) =>
      client.setQueryData(publicationKeys.one(solveId), publication as PublicationView),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: solveKeys.one(solveId) }),
        client.invalidateQueries({ queryKey: ["updates", solveId] }),
      ]),
  });
}

export function useConfirm(solveId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answer: { id: number; isRevert: boolean }) => confirmOutcome(solveId, answer),
    onSuccess: (list) => client.setQueryData(publicationKeys.outcomes(solveId), list),
    onSettled: () => client.invalidateQueries({ queryKey: publicationKeys.all(solveId) }),
  });
}

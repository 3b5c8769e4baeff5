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

const PUBLICATION_EVENT = /^(?:publication|outcome|pull)\./;

/** The current publication and the outcomes of its pull request. */
export function usePublication(solveId: string, facts: SolveView, events: readonly EventView[]) {
  useRefetchOnEvent(solveId, events);
  const client = useQueryClient();
  const steps = useQuery(publicationQuery(solveId, facts.publication));
  const publication = newest(steps.data ?? null, facts.publication);
  const outcomes = useQuery(outcomesQuery(solveId, publication !== null));
  const current = publication && `${publication.state} ${publication.pull_state}`;
  const before = useRef(current);
  useEffect(() => {
    if (before.current === current) return;
    before.current = current;
    // A finished solve is not polled, so its events are refetched here.
    void client.invalidateQueries({ queryKey: ["updates", solveId] });
    void client.invalidateQueries({ queryKey: publicationKeys.outcomes(solveId) });
  }, [client, solveId, current]);
  return { publication, outcomes, error: steps.error };
}

export function newest(
  one: PublicationView | null,
  two: PublicationView | null,
): PublicationView | null {
  if (!one || !two) return one ?? two;
  return one.updated_at >= two.updated_at ? one : two;
}

/** Refetches the publication when a new event about it arrives. */
function useRefetchOnEvent(solveId: string, events: readonly EventView[]): void {
  const client = useQueryClient();
  const last = events.findLast(({ kind }) => PUBLICATION_EVENT.test(kind))?.id ?? 0;
  const before = useRef<number | null>(null);
  const isLoaded = events.length > 0;
  useEffect(() => {
    if (!isLoaded) return;
    const isNew = before.current !== null && before.current !== last;
    before.current = last;
    if (!isNew) return;
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

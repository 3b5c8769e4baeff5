import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import type { Draft } from "@/features/new-solve/state/draft";
import { fromSearch, toSearch } from "@/features/new-solve/state/draftUrl";
import { restoreDraft, saveDraft } from "@/features/new-solve/state/savedDraft";
import { SAME_PLACE } from "@/lib/searchParams";
import { useIsLeaving } from "@/lib/useIsLeaving";

const PAUSE_MS = 300;

export type Change = (change: Partial<Draft> | ((draft: Draft) => Draft)) => void;

/** The draft, saved in this tab and, for short values, in the URL. */
export function useDraft(): [Draft, Change] {
  const { search } = useLocation();
  const go = useNavigate();
  const isLeaving = useIsLeaving();
  const [draft, setDraft] = useState(() => restoreDraft(search));
  const untouched = useRef(draft);
  const written = useRef(search);

  useEffect(() => {
    // The person followed a link to this page while the form was open.
    if (search === written.current) return;
    written.current = search;
    if (search) setDraft((before) => fromSearch(search, before));
  }, [search]);

  useEffect(() => {
    if (draft === untouched.current || isLeaving) return;
    saveDraft(draft);
    const timer = setTimeout(() => {
      const next = toSearch(draft);
      if (next === written.current) return;
      written.current = next;
      go({ search: next }, SAME_PLACE);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, go, isLeaving]);

  const change = useCallback<Change>((by) => {
    setDraft((before) => (typeof by === "function" ? by(before) : { ...before, ...by }));
  }, []);
  return [draft, change];
}

import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { counted, filtered } from "@/features/trajectory/kinds";
import { placeOf, rowsOf } from "@/features/trajectory/rows";
import { findMessages, step } from "@/features/trajectory/search";
import type { Goal } from "@/features/trajectory/useMessageList";
import { useTrajectory } from "@/features/trajectory/useTrajectory";
import { useTrajectoryUrl } from "@/features/trajectory/useTrajectoryUrl";

/** State of the trajectory view: visible rows, selection, and moves between messages. */
export function useReader(solveId: string, runId: string, isCompact: boolean) {
  const view = useTrajectoryUrl(!isCompact);
  const { selected, filter, look } = view;
  const trajectory = useTrajectory(solveId, runId, view.attempt);
  const { messages } = trajectory;
  const query = useDeferredValue(view.query.trim());
  const rows = useMemo(() => rowsOf(messages, filtered(messages, filter)), [messages, filter]);
  const counts = useMemo(() => counted(messages), [messages]);
  const hits = useMemo(() => findMessages(rows, query), [rows, query]);
  const opened = useOpened();
  const tail = useFollowing(trajectory.listId, messages.at(-1)?.seq ?? -1, selected === null);
  const [goal, setGoal] = useState<Goal>({ seq: selected ?? "end", align: "center" });

  const { follow } = tail;
  const select = useCallback((seq: number) => look({ m: String(seq) }), [look]);
  const visit = (seq: number | undefined, align: Goal["align"] = "auto") => {
    if (seq === undefined) return;
    select(seq);
    setGoal({ seq, align });
    follow(seq === rows.at(-1)?.message.seq && !trajectory.hasLater);
  };
  const toEnd = () => {
    look({ m: "" });
    setGoal({ seq: "end" });
    follow(true);
    if (trajectory.hasLater) trajectory.toTail();
  };
  const toStart = () => {
    select(0);
    setGoal({ seq: 0, align: "start" });
    follow(false);
    if (trajectory.hasEarlier) trajectory.goTo(0);
  };
  const move = (by: 1 | -1) => {
    const at = selected === null ? rows.length - (by > 0 ? 1 : 0) : placeOf(rows, selected);
    const next = selected === null && by > 0 ? at : at + by;
    visit(rows[Math.max(0, Math.min(next, rows.length - 1))]?.message.seq);
  };
  const search = (by: 1 | -1) => {
    const hit = step(hits, selected, by);
    if (hit !== undefined) opened.open(hit);
    visit(hit, "start");
  };
  useSelectedIsLoaded(selected, trajectory);
  useKeptInView(filter, selected, tail.isFollowing, setGoal);
  const fresh = tail.seen < 0 ? 0 : rows.length - placeOf(rows, tail.seen + 1);
  return {
    ...{ view, trajectory, rows, counts, hits, query, opened, goal, fresh },
    ...{ select, visit, toEnd, toStart, move, search, ...tail },
  };
}

export type Reader = ReturnType<typeof useReader>;

/** Expanded messages, one by one or all. */
function useOpened() {
  const [state, setState] = useState({ isAll: false, others: new Set<number>() });
  const toggle = useCallback(
    (seq: number) =>
      setState(({ isAll, others }) => {
        const next = new Set(others);
        if (!next.delete(seq)) next.add(seq);
        return { isAll, others: next };
      }),
    [],
  );
  const isOpen = useCallback((seq: number) => state.isAll !== state.others.has(seq), [state]);
  return {
    isAll: state.isAll,
    isOpen,
    toggle,
    open: (seq: number) => isOpen(seq) || toggle(seq),
    toggleAll: () => setState(({ isAll }) => ({ isAll: !isAll, others: new Set() })),
  };
}

/** Whether the list follows the end, and the last message seen when it stopped. */
function useFollowing(listId: string, last: number, isAtFirst: boolean) {
  const [isFollowing, follow] = useState(isAtFirst);
  const seen = useRef({ listId, last: -1 });
  if (seen.current.listId !== listId) seen.current = { listId, last: -1 };
  useEffect(() => {
    if (isFollowing || seen.current.last < 0) seen.current.last = last;
  }, [isFollowing, last]);
  return { isFollowing, follow, seen: isFollowing ? last : seen.current.last };
}

/** Loads the messages around a linked message, once. */
function useSelectedIsLoaded(
  selected: number | null,
  trajectory: ReturnType<typeof useTrajectory>,
): void {
  const requested = useRef("");
  const first = trajectory.messages[0]?.seq;
  const { goTo, attempt } = trajectory;
  useEffect(() => {
    if (selected === null || first === undefined || selected >= first) return;
    const link = `${attempt}/${selected}`;
    if (requested.current === link) return;
    requested.current = link;
    goTo(selected);
  }, [selected, first, attempt, goTo]);
}

/** Keeps the selected message, or the end, in view when the filter changes. */
function useKeptInView(
  filter: string,
  selected: number | null,
  isFollowing: boolean,
  setGoal: (goal: Goal) => void,
): void {
  const before = useRef(filter);
  useEffect(() => {
    if (before.current === filter) return;
    before.current = filter;
    if (selected !== null) setGoal({ seq: selected, align: "center" });
    else if (isFollowing) setGoal({ seq: "end" });
  }, [filter, selected, isFollowing, setGoal]);
}

import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { guessPx } from "@/features/trajectory/excerpt";
import { placeOf, type Row } from "@/features/trajectory/rows";
import { MERGE } from "@/live/useUpdates";

/** The message to scroll to. A new object triggers scrolling. */
export interface Goal {
  seq: number | "end";
  align?: "auto" | "start" | "center";
}

const NEAR_PX = 48;
const EARLY_PX = 400;
export const EDGE_PX = 44;

interface ListOptions {
  container: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  goal: Goal | null;
  isFollowing: boolean;
  follow: (isOn: boolean) => void;
  hasEarlier: boolean;
  hasLater: boolean;
  loadEarlier: () => void;
  loadLater: () => void;
}

/** Renders visible rows only. Scrolls to the end while following, otherwise keeps the position. */
export function useMessageList(options: ListOptions) {
  const { container, rows, goal, isFollowing, hasEarlier, hasLater } = options;
  // Memoised, because a new function recalculates all positions.
  const getItemKey = useCallback((index: number) => rows[index]?.message.seq ?? index, [rows]);
  const estimateSize = useCallback(
    (index: number) => (rows[index] ? guessPx(rows[index].message) : 60),
    [rows],
  );
  const list = useVirtualizer<HTMLElement, HTMLElement>({
    count: rows.length,
    getScrollElement: () => container.current,
    getItemKey,
    estimateSize,
    overscan: 2,
    // Starts near the goal, so that rows at the top are not rendered in vain.
    initialOffset: () => guessedStart(rows, goal),
    initialRect: { width: 800, height: 800 },
    anchorTo: "end",
    followOnAppend: isFollowing,
    // With -1 the list is never "at the end", so that new rows do not move the visible ones.
    scrollEndThreshold: isFollowing ? NEAR_PX : -1,
    paddingStart: hasEarlier ? EDGE_PX : 0,
    paddingEnd: hasLater ? EDGE_PX : 8,
  });
  const reached = useRef<Goal | null>(null);
  useLayoutEffect(
    () => () => {
      reached.current = null;
    },
    [],
  );
  useLayoutEffect(() => {
    if (!goal || reached.current === goal || !rows.length) return;
    reached.current = goal;
    if (goal.seq === "end") return list.scrollToEnd();
    const place = Math.min(placeOf(rows, goal.seq), rows.length - 1);
    list.scrollToIndex(place, { align: goal.align ?? "auto" });
  }, [goal, list, rows]);
  const leave = () => {
    list.cancelScroll();
    options.follow(false);
  };
  useWatchedScroll({ ...options, leave });
  usePainted(rows);
  return list;
}

function guessedStart(rows: readonly Row[], goal: Goal | null): number {
  const upto = goal && goal.seq !== "end" ? placeOf(rows, goal.seq) : rows.length;
  return rows.slice(0, upto).reduce((sum, row) => sum + guessPx(row.message), 0);
}

const UPWARDS = ["ArrowUp", "PageUp", "Home"];

function useWatchedScroll(options: ListOptions & { leave: () => void }) {
  const latest = useRef(options);
  latest.current = options;
  const { container } = options;
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    let previousTop = element.scrollTop;
    const onScroll = () => {
      const { isFollowing, follow, hasEarlier, hasLater, loadEarlier, loadLater } = latest.current;
      const left = element.scrollHeight - element.clientHeight - element.scrollTop;
      const isUp = element.scrollTop < previousTop - 1;
      previousTop = element.scrollTop;
      if (left <= 2 && !isFollowing && !hasLater && !isUp) follow(true);
      if (left > NEAR_PX && isFollowing && isUp) follow(false);
      if (isUp && hasEarlier && element.scrollTop < EARLY_PX) loadEarlier();
      if (!isUp && hasLater && left < EARLY_PX) loadLater();
    };
    // Scrolling up stops following immediately, even while rows are being measured.
    const onWheel = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0 && latest.current.isFollowing) latest.current.leave();
    };
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (UPWARDS.includes(key) && latest.current.isFollowing) latest.current.leave();
    };
    const listening = new AbortController();
    const { signal } = listening;
    element.addEventListener("scroll", onScroll, { passive: true, signal });
    element.addEventListener("wheel", onWheel, { passive: true, signal });
    element.addEventListener("keydown", onKeyDown, { signal });
    return () => listening.abort();
  }, [container]);
}

const MAX_ENTRIES = 200;

/**
 * Measures the time from an update to its paint as `yudai:trajectory` in the performance timeline.
 */
function usePainted(rows: readonly Row[]) {
  useEffect(() => {
    if (!rows.length || !performance.getEntriesByName(MERGE).length) return;
    const frame = requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        if (!performance.getEntriesByName(MERGE).length) return;
        if (performance.getEntriesByName(PAINTED).length > MAX_ENTRIES) {
          performance.clearMeasures(PAINTED);
        }
        performance.measure(PAINTED, { start: MERGE, detail: { messages: rows.length } });
        performance.clearMarks(MERGE);
        channel.port1.close();
      };
      channel.port2.postMessage(null);
    });
    return () => cancelAnimationFrame(frame);
  }, [rows]);
}

export const PAINTED = "yudai:trajectory";

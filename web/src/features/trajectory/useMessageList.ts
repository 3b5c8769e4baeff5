import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { guessPx } from "@/features/trajectory/excerpt";
import { placeOf, type Row } from "@/features/trajectory/rows";
import { MERGE } from "@/live/useUpdates";

/** Where the list is to go next; a new object each time. */
export interface Goal {
  seq: number | "end";
  align?: "auto" | "start" | "center";
}

const NEAR_PX = 48;
const EARLY_PX = 400;
export const EDGE_PX = 44;

interface Asked {
  box: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  goal: Goal | null;
  isFollowing: boolean;
  follow: (isOn: boolean) => void;
  hasEarlier: boolean;
  hasLater: boolean;
  loadEarlier: () => void;
  loadLater: () => void;
}

/** The rows that exist just now: at the end while it follows, otherwise where they were. */
export function useMessageList(asked: Asked) {
  const { box, rows, goal, isFollowing, hasEarlier, hasLater } = asked;
  // Stable while the rows are: with another function all places are worked out anew.
  const getItemKey = useCallback((index: number) => rows[index]?.message.seq ?? index, [rows]);
  const estimateSize = useCallback(
    (index: number) => (rows[index] ? guessPx(rows[index].message) : 60),
    [rows],
  );
  const list = useVirtualizer<HTMLElement, HTMLElement>({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey,
    estimateSize,
    overscan: 2,
    // At once where it is to begin: rows at the top are not made only to be thrown away.
    initialOffset: () => guessedStart(rows, goal),
    initialRect: { width: 800, height: 800 },
    anchorTo: "end",
    followOnAppend: isFollowing,
    // Below zero it is never at the end: what grows there grows downwards, out of view.
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
    asked.follow(false);
  };
  useWatchedScroll({ ...asked, leave });
  usePainted(rows);
  return list;
}

function guessedStart(rows: readonly Row[], goal: Goal | null): number {
  const upto = goal && goal.seq !== "end" ? placeOf(rows, goal.seq) : rows.length;
  return rows.slice(0, upto).reduce((sum, row) => sum + guessPx(row.message), 0);
}

const UPWARDS = ["ArrowUp", "PageUp", "Home"];

function useWatchedScroll(asked: Asked & { leave: () => void }) {
  const latest = useRef(asked);
  latest.current = asked;
  const { box } = asked;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let before = element.scrollTop;
    const look = () => {
      const { isFollowing, follow, hasEarlier, hasLater, loadEarlier, loadLater } = latest.current;
      const left = element.scrollHeight - element.clientHeight - element.scrollTop;
      const isUp = element.scrollTop < before - 1;
      before = element.scrollTop;
      if (left <= 2 && !isFollowing && !hasLater && !isUp) follow(true);
      if (left > NEAR_PX && isFollowing && isUp) follow(false);
      if (isUp && hasEarlier && element.scrollTop < EARLY_PX) loadEarlier();
      if (!isUp && hasLater && left < EARLY_PX) loadLater();
    };
    // Whoever turns the wheel wants to leave now, also while rows are still being measured.
    const turn = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0 && latest.current.isFollowing) latest.current.leave();
    };
    const press = ({ key }: KeyboardEvent) => {
      if (UPWARDS.includes(key) && latest.current.isFollowing) latest.current.leave();
    };
    const listening = new AbortController();
    const { signal } = listening;
    element.addEventListener("scroll", look, { passive: true, signal });
    element.addEventListener("wheel", turn, { passive: true, signal });
    element.addEventListener("keydown", press, { signal });
    return () => listening.abort();
  }, [box]);
}

const MAX_ENTRIES = 200;

/** How long it took from an answer to its picture: `yudai:trajectory` in the browser's timeline. */
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

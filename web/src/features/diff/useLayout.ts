import { type RefObject, useEffect, useRef, useState } from "react";
import type { Layout } from "@/features/diff/hunks";
import { useStored } from "@/lib/storage";

const SPLIT_FROM_PX = 768;
/** So far before it is scrolled to, a file is made ready. */
const AHEAD = "800px 0px";

export interface View {
  /** What was asked for; a narrow place shows it unified all the same. */
  wanted: Layout;
  layout: Layout;
  isWide: boolean;
  choose: (layout: Layout) => void;
}

/** Unified or split, as this browser's person left it. */
export function useLayout(box: RefObject<HTMLElement | null>): View {
  const [kept, keep] = useStored("yudai.diff", "unified");
  const isWide = useWidth(box) >= SPLIT_FROM_PX;
  const wanted = kept === "split" ? "split" : "unified";
  return { wanted, layout: isWide ? wanted : "unified", isWide, choose: keep };
}

function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => (typeof window === "undefined" ? 0 : innerWidth));
  useEffect(() => {
    if (!box.current || typeof ResizeObserver === "undefined") return;
    const watcher = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, [box]);
  return width;
}

/** Whether the element has come near; once it has, it stays so. */
export function useNear(isLazy: boolean): [RefObject<HTMLDivElement | null>, boolean] {
  const element = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(!isLazy || typeof IntersectionObserver === "undefined");
  useEffect(() => {
    if (isNear || !element.current) return;
    const watcher = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setNear(true),
      { rootMargin: AHEAD },
    );
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, [isNear]);
  return [element, isNear];
}

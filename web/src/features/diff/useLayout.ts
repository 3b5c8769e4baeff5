import { type RefObject, useEffect, useRef, useState } from "react";
import type { Layout } from "@/features/diff/hunks";
import { useStored } from "@/lib/storage";

const SPLIT_FROM_PX = 768;
/** Distance at which a file is rendered before it scrolls into view. */
const AHEAD = "800px 0px";

export interface View {
  /** The chosen layout. A narrow container shows the unified one anyway. */
  chosen: Layout;
  layout: Layout;
  isWide: boolean;
  choose: (layout: Layout) => void;
}

/** The layout, stored in this browser. */
export function useLayout(container: RefObject<HTMLElement | null>): View {
  const [stored, store] = useStored("yudai.diff", "unified");
  const isWide = useWidth(container) >= SPLIT_FROM_PX;
  const chosen = stored === "split" ? "split" : "unified";
  return { chosen, layout: isWide ? chosen : "unified", isWide, choose: store };
}

function useWidth(container: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => (typeof window === "undefined" ? 0 : innerWidth));
  useEffect(() => {
    if (!container.current || typeof ResizeObserver === "undefined") return;
    const watcher = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    watcher.observe(container.current);
    return () => watcher.disconnect();
  }, [container]);
  return width;
}

/** Whether the element has been near the viewport once. */
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

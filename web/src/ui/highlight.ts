import { type RefObject, useEffect } from "react";
import "@/ui/highlight.css";

const MAX_RANGES = 500;

/** Highlights matches of the query inside a container. */
export function useHighlight(
  container: RefObject<HTMLElement | null>,
  query: string,
  /** Changes when other parts of the text are rendered. */
  shown: unknown,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` triggers a new search
  useEffect(() => {
    if (!query || !container.current || typeof Highlight === "undefined") return;
    const ranges = rangesOf(container.current, query.toLowerCase());
    const all = CSS.highlights.get("found") ?? new Highlight();
    for (const range of ranges) all.add(range);
    CSS.highlights.set("found", all);
    return () => {
      for (const range of ranges) all.delete(range);
    };
  }, [container, query, shown]);
}

function rangesOf(container: HTMLElement, query: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? "";
    for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
      if (ranges.length >= MAX_RANGES || at + query.length > (node.nodeValue?.length ?? 0)) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + query.length);
      ranges.push(range);
    }
  }
  return ranges;
}

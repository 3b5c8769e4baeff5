import { useVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { paintableLines, stripped } from "@/lib/ansi";
import { bytes, count } from "@/lib/format";
import { Ansi } from "@/ui/Ansi";
import { Button } from "@/ui/Button";
import { useHighlight } from "@/ui/highlight";
import { Search } from "@/ui/Search";

interface Props {
  text: string;
  /** What was logged: "tests", "setup". */
  label: string;
  /** URL of the complete log; without it the shown text is downloaded. */
  href?: string;
  /** Class that sets the height. */
  className?: string;
}

const LINE_PX = 20;
const MAX_COLUMNS = 4000;

/** A log of any length: only visible lines are rendered. */
export function Log({ text, label, href, className = "max-h-96" }: Props) {
  const lines = useMemo(() => paintableLines(text.replace(/\r?\n$/, "")), [text]);
  const [query, setQuery] = useState("");
  const [place, setPlace] = useState(0);
  const deferred = useDeferredValue(query);
  const matches = useMemo(() => linesWith(lines, deferred), [lines, deferred]);
  const at = matches.length ? place % matches.length : -1;
  const move = (by: 1 | -1) => setPlace((at + by + matches.length) % Math.max(1, matches.length));
  return (
    <div className="card flex min-w-0 flex-col overflow-hidden">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-2 py-1">
        <span className="text-xs text-muted tabular-nums">
          {count(lines.length, "line")}, {bytes(text.length)}
        </span>
        <div className="ml-auto flex min-w-0 flex-wrap items-center gap-1">
          <Search
            label={`Search in ${label}`}
            query={query}
            search={(next) => {
              setQuery(next);
              setPlace(0);
            }}
            at={at}
            total={matches.length}
            move={move}
          />
          <Download text={text} label={label} href={href} />
        </div>
      </div>
      <Lines lines={lines} label={label} query={deferred} now={matches[at]} className={className} />
    </div>
  );
}

interface LinesProps {
  lines: readonly string[];
  label: string;
  query: string;
  /** Index of the current search match. */
  now: number | undefined;
  className: string;
}

function Lines({ lines, label, query, now, className }: LinesProps) {
  const container = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => container.current,
    estimateSize: () => LINE_PX,
    overscan: 8,
  });
  useEffect(() => {
    if (now !== undefined) list.scrollToIndex(now, { align: "center" });
  }, [list, now]);
  const shown = list.getVirtualItems();
  useHighlight(container, query, shown[0]?.index);
  const digits = `${String(lines.length).length + 1}ch`;
  return (
    <section
      ref={container}
      aria-label={`Log of ${label}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      className={`log overflow-auto bg-ground text-xs leading-5 ${className}`}
    >
      <div className="relative w-max min-w-full" style={{ height: list.getTotalSize() }}>
        <div style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
          {shown.map(({ index }) => (
            <div
              key={index}
              className={`flex h-5 gap-3 pr-3 ${index === now ? "bg-accent-ground" : ""}`}
            >
              <span
                aria-hidden
                className="sticky left-0 shrink-0 bg-panel px-1 text-right text-muted tabular-nums select-none"
                style={{ minWidth: digits }}
              >
                {index + 1}
              </span>
              <code className="whitespace-pre">
                <Line text={lines[index] ?? ""} />
              </code>
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}

function Line({ text }: { text: string }) {
  const rest = text.length - MAX_COLUMNS;
  if (rest <= 0) return <Ansi text={text} />;
  return (
    <>
      <Ansi text={text.slice(0, MAX_COLUMNS)} />
      <span className="text-muted"> … {bytes(rest)} more in this line</span>
    </>
  );
}

function Download({
  text,
  label,
  href,
}: {
  text: string;
  label: string;
  href?: string | undefined;
}) {
  const save = () => {
    const url = href ?? URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${label.replaceAll(/[^\w.-]+/g, "-")}.log`;
    link.click();
    if (!href) URL.revokeObjectURL(url);
  };
  return (
    <Button look="quiet" onClick={save}>
      Download
    </Button>
  );
}

export function linesWith(lines: readonly string[], query: string): number[] {
  if (!query) return [];
  const wanted = query.toLowerCase();
  return lines.flatMap((line, index) =>
    stripped(line).toLowerCase().includes(wanted) ? [index] : [],
  );
}

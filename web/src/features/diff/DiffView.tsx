import { useId, useMemo, useRef, useState } from "react";
import { DiffToolbar } from "@/features/diff/DiffToolbar";
import { FileDiff, LARGE } from "@/features/diff/FileDiff";
import { FileList } from "@/features/diff/FileList";
import { useLayout } from "@/features/diff/useLayout";
import { count } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { parsePatch } from "@/lib/patch/parse";
import { lineCount, type PatchFile } from "@/lib/patch/types";
import { useStored } from "@/lib/storage";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { Empty } from "@/ui/states";

interface Props {
  patch: string;
  /** Name of the patch, for screen readers. */
  label: string;
  /** URL of the complete patch. */
  download?: string;
  /** Fixed layout; without it, the layout that the person chose last. */
  layout?: "unified";
}

const FILES_AT_ONCE = 50;
const UNREAD_MOST = 40;

/** A patch file by file, unified or split. */
export function DiffView({ patch, label, download, layout }: Props) {
  const parsed = useMemo(() => parsePatch(patch), [patch]);
  const { files } = parsed;
  const container = useRef<HTMLElement>(null);
  const view = useLayout(container);
  const [whitespace, keepWhitespace] = useStored("yudai.diff.whitespace", "shown");
  const [most, setMost] = useState(FILES_AT_ONCE);
  const open = useOpen(files);
  const lines = useMemo(() => files.reduce((sum, file) => sum + lineCount(file), 0), [files]);
  const ignores = whitespace === "ignored";
  const base = useId();
  const name = (place: number) => `${base}-${place}`;
  if (!files.length && !parsed.unread.length) return <NoPatch />;
  const go = (place: number) => {
    if (place >= most) setMost(place + 1);
    open.set(place, true);
    requestAnimationFrame(() => document.getElementById(name(place))?.scrollIntoView());
  };
  return (
    <section
      ref={container}
      aria-label={`Diff of ${shown(label)}`}
      className="flex min-w-0 flex-col gap-3"
    >
      <h2 className="sr-only">Diff of {shown(label)}</h2>
      <DiffToolbar
        label={label}
        files={files}
        view={layout ? null : view}
        ignores={ignores}
        ignore={(on) => keepWhitespace(on ? "ignored" : "shown")}
        isAllOpen={open.isAllOpen}
        openAll={open.setAll}
        download={download}
      />
      {files.length > 1 && <FileList files={files} go={go} />}
      {files.slice(0, most).map((file, place) => (
        <FileDiff
          // biome-ignore lint/suspicious/noArrayIndexKey: a hostile patch can name a file twice
          key={place}
          id={name(place)}
          file={file}
          layout={layout ?? view.layout}
          ignoresWhitespace={ignores}
          isOpen={open.has(place)}
          toggle={() => open.set(place, !open.has(place))}
          isLazy={lines > LARGE}
          download={download}
        />
      ))}
      {files.length > most && (
        <Button onClick={() => setMost(most + FILES_AT_ONCE)}>
          Show {count(Math.min(FILES_AT_ONCE, files.length - most), "more file")} of {files.length}
        </Button>
      )}
      {parsed.unread.length > 0 && <Unread lines={parsed.unread} />}
    </section>
  );
}

interface Open {
  has: (place: number) => boolean;
  set: (place: number, isOpen: boolean) => void;
  setAll: (isOpen: boolean) => void;
  isAllOpen: boolean;
}

function useOpen(files: readonly PatchFile[]): Open {
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const set = (place: number, isOpen: boolean) => {
    const next = new Set(closed);
    if (isOpen) next.delete(place);
    else next.add(place);
    setClosed(next);
  };
  return {
    has: (place) => !closed.has(place),
    set,
    setAll: (isOpen) => setClosed(new Set(isOpen ? [] : files.keys())),
    isAllOpen: closed.size === 0,
  };
}

function NoPatch() {
  return <Empty title="No changes">The patch is empty: no file differs from the base.</Empty>;
}

/** Shows lines that belong to no file instead of dropping them. */
function Unread({ lines }: { lines: readonly string[] }) {
  const rest = lines.length - UNREAD_MOST;
  return (
    <section aria-label="Lines that could not be parsed" className="card min-w-0 p-3 text-xs">
      <p className="mb-2 text-accent-text">
        {count(lines.length, "line")} of this text could not be parsed as a patch:
      </p>
      <pre className="text-soft break-all whitespace-pre-wrap">
        <Hostile text={lines.slice(0, UNREAD_MOST).join("\n").slice(0, 8000)} />
      </pre>
      {rest > 0 && <p className="mt-2 text-muted">and {count(rest, "more line")}</p>}
    </section>
  );
}

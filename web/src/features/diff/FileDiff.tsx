import { memo, type ReactNode, useId, useMemo, useState } from "react";
import { DiffLines } from "@/features/diff/DiffLines";
import { cut, type Layout } from "@/features/diff/hunks";
import { binaryWords, KINDS, modeWords } from "@/features/diff/labels";
import { useNear } from "@/features/diff/useLayout";
import { type Quieted, withoutWhitespace } from "@/features/diff/whitespace";
import { count } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { pathText } from "@/lib/patch/path";
import { lineCount, type PatchFile } from "@/lib/patch/types";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

/** Files with more lines are shown on request, in parts of `AT_ONCE` lines. */
export const LARGE = 400;
const AT_ONCE = 1000;
const LINE_PX = 19;

interface Props {
  file: PatchFile;
  layout: Layout;
  ignoresWhitespace?: boolean;
  isOpen?: boolean;
  toggle?: () => void;
  /** Rendered when it is almost visible, for patches of many files. */
  isLazy?: boolean;
  id?: string;
  /** Content before the file name. */
  lead?: ReactNode;
  download?: string | undefined;
}

/** One file of a patch with its header. */
export const FileDiff = memo(function FileDiff(props: Props) {
  const { file, toggle, isOpen = true } = props;
  const body = useId();
  const kind = KINDS[file.kind];
  return (
    <article
      aria-labelledby={`${body}-name`}
      id={props.id}
      className="card min-w-0 scroll-mt-16 overflow-hidden"
    >
      <h3 id={`${body}-name`} className="flex min-w-0 items-center gap-2 px-2 py-1 text-sm">
        {toggle && (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={body}
            aria-label={`${isOpen ? "Hide" : "Show"} ${shown(pathText(file.path))}`}
            onClick={toggle}
            className="size-7 shrink-0 rounded text-muted hover:bg-raised hover:text-text"
          >
            {isOpen ? "▾" : "▸"}
          </button>
        )}
        {props.lead}
        <span aria-hidden className={`shrink-0 font-bold ${kind.colour}`}>
          {kind.sign}
        </span>
        <span className="min-w-0 grow font-medium break-all">
          <Hostile text={pathText(file.path)} />
        </span>
        <span className={`hidden shrink-0 text-xs sm:inline ${kind.colour}`}>{kind.word}</span>
        {file.added + file.removed > 0 && <Counts file={file} />}
      </h3>
      <div id={body} hidden={!isOpen}>
        {isOpen && <Body {...props} />}
      </div>
    </article>
  );
});

export function Counts({ file }: { file: Pick<PatchFile, "added" | "removed"> }) {
  return (
    <span className="shrink-0 text-xs whitespace-nowrap tabular-nums">
      <span className="text-good">+{file.added.toLocaleString("en-US")}</span>{" "}
      <span className="text-bad">−{file.removed.toLocaleString("en-US")}</span>
    </span>
  );
}

function Body(props: Props) {
  const { file, layout, ignoresWhitespace = false, isLazy = false } = props;
  const quiet = useMemo<Quieted>(
    () => (ignoresWhitespace ? withoutWhitespace(file.hunks) : { hunks: file.hunks, hidden: 0 }),
    [file, ignoresWhitespace],
  );
  const all = lineCount({ ...file, hunks: quiet.hunks });
  const [most, setMost] = useState(all > LARGE ? 0 : LARGE);
  const hunks = useMemo(() => cut(quiet.hunks, most), [quiet, most]);
  const [element, isNear] = useNear(isLazy);
  const mode = modeWords(file);
  const height = Math.min(most, all) * LINE_PX;
  return (
    <div
      ref={element}
      className="border-t border-line"
      style={isNear ? undefined : { minHeight: height }}
    >
      {mode && <Note>{`${mode}.`}</Note>}
      {file.binary && <Note>{binaryWords(file)}.</Note>}
      {quiet.hidden > 0 && (
        <Note>{`${count(quiet.hidden, "line")} that ${quiet.hidden === 1 ? "differs" : "differ"} only in whitespace ${quiet.hidden === 1 ? "is" : "are"} not shown as changed.`}</Note>
      )}
      {!file.hunks.length && !file.binary && !mode && <Note>{emptyWords(file)}</Note>}
      {isNear && hunks.length > 0 && <DiffLines hunks={hunks} kind={file.kind} layout={layout} />}
      {all > most && (
        <More
          all={all}
          shown={most}
          download={props.download}
          more={() => setMost(most + AT_ONCE)}
        />
      )}
    </div>
  );
}

function emptyWords(file: PatchFile): string {
  return file.kind === "modified" ? "No lines changed." : "The file is empty.";
}

function Note({ children }: { children: ReactNode }) {
  return <p className="border-b border-line px-3 py-2 text-xs text-soft">{children}</p>;
}

interface MoreProps {
  all: number;
  shown: number;
  more: () => void;
  download: string | undefined;
}

function More({ all, shown: now, more, download }: MoreProps) {
  const next = Math.min(AT_ONCE, all - now);
  const rest = next < all - now;
  return (
    <div className="flex flex-wrap items-center gap-3 px-3 py-2 text-xs text-soft">
      <Button onClick={more}>
        {now === 0
          ? `Show ${rest ? "the first " : ""}${count(next, "line")}`
          : `Show ${count(next, "more line")}`}
      </Button>
      <span>
        {now === 0
          ? `A large file: ${count(all, "line")}.`
          : `Showing ${now.toLocaleString("en-US")} of ${count(all, "line")}.`}
      </span>
      {download && rest && (
        <a href={download} download className="text-second underline">
          Download the patch
        </a>
      )}
    </div>
  );
}

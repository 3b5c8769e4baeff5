import { Fragment, memo, useMemo } from "react";
import {
  Decoration,
  Diff,
  type DiffType,
  type HunkData,
  Hunk as HunkLines,
  type RenderToken,
} from "react-diff-view";
import { asData, type Layout, skipped } from "@/features/diff/hunks";
import { tokensOf } from "@/features/diff/tokens";
import { count } from "@/lib/format";
import type { FileKind, Hunk } from "@/lib/patch/types";
import { Hostile } from "@/ui/Hostile";
import "@/features/diff/diff.css";

interface Props {
  hunks: readonly Hunk[];
  kind: FileKind;
  layout: Layout;
}

const TYPES: Record<FileKind, DiffType> = {
  added: "add",
  deleted: "delete",
  modified: "modify",
  mode: "modify",
};

/** The lines of one file as a table. */
export const DiffLines = memo(function DiffLines({ hunks, kind, layout }: Props) {
  const data = useMemo(() => hunks.map((hunk) => asData(hunk, layout)), [hunks, layout]);
  const tokens = useMemo(() => tokensOf(hunks), [hunks]);
  return (
    <Diff
      hunks={data}
      diffType={TYPES[kind]}
      // An added or deleted file has one side, so one column of line numbers is enough.
      viewType={kind === "added" || kind === "deleted" ? "split" : layout}
      tokens={tokens}
      renderToken={renderToken}
      optimizeSelection
    >
      {(shown) => shown.map((hunk, place) => hunkLines(hunks, hunk, place))}
    </Diff>
  );
});

function hunkLines(hunks: readonly Hunk[], data: HunkData, place: number) {
  const hunk = hunks[place];
  const gap = hunk ? skipped(hunk, hunks[place - 1]) : 0;
  return (
    <Fragment key={place}>
      {(gap > 0 || data.content) && (
        <Decoration>
          <span>
            {gap > 0 && `⋯ ${count(gap, "line")} unchanged`}
            {gap > 0 && data.content && " · "}
            <Hostile text={data.content} />
          </span>
        </Decoration>
      )}
      <HunkLines hunk={data} />
    </Fragment>
  );
}

const renderToken: RenderToken = (token, _otherwise, place) => {
  if (token.type === "note") {
    return (
      <span key={place} className="ml-1 rounded border border-line-strong px-1 text-muted">
        {String(token.value)}
      </span>
    );
  }
  const text = <Hostile key={place} text={String(token.value)} />;
  if (token.type !== "edit") return text;
  return (
    <span key={place} className="diff-code-edit">
      {text}
    </span>
  );
};

import { type ReactNode, useMemo } from "react";
import { useSearchParams } from "react-router";
import { Mark } from "@/features/compare/CompareHeader";
import { FileChips } from "@/features/compare/FileChips";
import { type Aligned, align, neighbour } from "@/features/compare/files";
import type { Letter } from "@/features/compare/pair";
import { type Comparison, type Patched, usePatch } from "@/features/compare/useCompare";
import { count } from "@/lib/format";
import { pathText } from "@/lib/patch/path";
import type { PatchFile } from "@/lib/patch/types";
import { SAME_PLACE, withParams } from "@/lib/searchParams";
import { useKeys } from "@/lib/useKeys";
import { useMedia } from "@/lib/useMedia";
import { Hostile } from "@/ui/Hostile";
import { Failure, Skeleton } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";

export type RenderFile = (file: PatchFile, lead: ReactNode, isLazy: boolean) => ReactNode;

interface Props {
  comparison: Comparison;
  file: RenderFile;
}

const MANY_LINES = 1500;
const NO_FILES: readonly PatchFile[] = [];

/** Both patches with their files aligned. */
export function Patches({ comparison, file }: Props) {
  const [a, b] = [usePatch(comparison.a.run), usePatch(comparison.b.run)];
  const rows = useMemo(
    () => align(a.patch?.files ?? NO_FILES, b.patch?.files ?? NO_FILES),
    [a.patch, b.patch],
  );
  const [params, setParams] = useSearchParams();
  const requested = params.get("file");
  const chosen = rows.some((row) => row.path === requested) ? requested : null;
  const choose = (path: string | null) =>
    setParams((before) => withParams(before, { file: path ?? "" }), SAME_PLACE);
  const move = (by: 1 | -1) => () => choose(neighbour(rows, chosen, by));
  useKeys({ ArrowLeft: move(-1), ArrowRight: move(1) });
  const isLazy = rows.reduce((sum, row) => sum + size(row.a) + size(row.b), 0) > MANY_LINES;
  const shown = chosen === null ? rows : rows.filter((row) => row.path === chosen);
  return (
    <section aria-label="Patches" className="flex min-w-0 flex-col gap-3">
      <h2 className="text-sm font-semibold">
        Patches <span className="font-normal text-muted">{count(rows.length, "file")}</span>
      </h2>
      <PatchNotice side="A" of={a} />
      <PatchNotice side="B" of={b} />
      {(a.isPending || b.isPending) && <Skeleton rows={4} label="Loading the patches" />}
      {rows.length > 0 && <FileChips rows={rows} chosen={chosen} choose={choose} />}
      <Rows
        rows={shown}
        file={(change, letters) => file(change, <Marks letters={letters} />, isLazy)}
      />
    </section>
  );
}

function size(file: PatchFile | null): number {
  return file ? file.added + file.removed : 0;
}

function PatchNotice({ side, of }: { side: Letter; of: Patched }) {
  if (of.error) return <Failure error={of.error} retry={of.retry} />;
  const isEmpty = of.patch?.files.length === 0;
  if (!of.missing && !isEmpty) return null;
  return (
    <p className="card px-3 py-2 text-sm text-soft">
      {side} has no patch{of.missing ? ": " : ": it changed nothing."}
      <Hostile text={of.missing} />
    </p>
  );
}

interface RowsProps {
  rows: readonly Aligned[];
  file: (file: PatchFile, letters: readonly Letter[]) => ReactNode;
}

function Marks({ letters }: { letters: readonly Letter[] }) {
  return (
    <>
      {letters.map((letter) => (
        <Mark key={letter} letter={letter} />
      ))}
      <span className="sr-only">{letters.join(" and ")}:</span>
    </>
  );
}

function Rows({ rows, file }: RowsProps) {
  const isWide = useMedia("(min-width: 1024px)", true);
  const [params, setParams] = useSearchParams();
  const side = params.get("side") === "B" ? "B" : "A";
  if (isWide) {
    return rows.map((row) => <WideRow key={row.path} row={row} file={file} />);
  }
  return (
    <>
      <Tabs
        label="Whose patch"
        tabs={[
          { id: "A", name: "A" },
          { id: "B", name: "B" },
        ]}
        chosen={side}
        choose={(id) => setParams((before) => withParams(before, { side: id }), SAME_PLACE)}
      />
      {rows.map((row) => (
        <Cell key={row.path} letter={side} row={row} file={file} />
      ))}
    </>
  );
}

function WideRow({ row, file }: { row: Aligned; file: RowsProps["file"] }) {
  if (row.isSame && row.a) {
    return (
      <div className="min-w-0">
        <p className="mb-1 text-xs text-soft">A and B make the same change to this file.</p>
        {file(row.a, ["A", "B"])}
      </div>
    );
  }
  return (
    <div className="grid grid-cols-2 items-start gap-4">
      <Cell letter="A" row={row} file={file} />
      <Cell letter="B" row={row} file={file} />
    </div>
  );
}

function Cell({ letter, row, file }: { letter: Letter; row: Aligned; file: RowsProps["file"] }) {
  const change = letter === "A" ? row.a : row.b;
  if (change) return <div className="min-w-0">{file(change, [letter])}</div>;
  return (
    <p className="min-w-0 rounded-[0.625rem] border border-dashed border-line-strong px-3 py-2 text-sm text-muted [overflow-wrap:anywhere]">
      {letter} does not change <Hostile text={pathText(row.path)} />.
    </p>
  );
}

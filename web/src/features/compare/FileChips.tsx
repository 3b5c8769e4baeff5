import type { ReactNode } from "react";
import type { Aligned } from "@/features/compare/files";
import { pathText } from "@/lib/patch/path";
import { Hostile } from "@/ui/Hostile";

interface Props {
  rows: readonly Aligned[];
  chosen: string | null;
  choose: (path: string | null) => void;
}

/** Buttons for all files or one file, each with the contestants that changed it. */
export function FileChips({ rows, chosen, choose }: Props) {
  return (
    <nav aria-label="Files" className="max-h-40 overflow-y-auto">
      <ul className="flex flex-wrap gap-1.5">
        <li>
          <Chip isChosen={chosen === null} choose={() => choose(null)}>
            All files
          </Chip>
        </li>
        {rows.map((row) => (
          <li key={row.path} className="min-w-0">
            <Chip isChosen={chosen === row.path} choose={() => choose(row.path)}>
              <span className="[overflow-wrap:anywhere]">
                <Hostile text={pathText(row.path)} />
              </span>
              <span className="shrink-0 text-muted">{changedBy(row)}</span>
            </Chip>
          </li>
        ))}
      </ul>
      <p className="mt-1 hidden text-xs text-muted lg:block">
        <kbd>←</kbd> <kbd>→</kbd> go from file to file
      </p>
    </nav>
  );
}

function changedBy(row: Aligned): string {
  if (row.isSame) return "same in both";
  if (row.a && row.b) return "both";
  return row.a ? "only A" : "only B";
}

interface ChipProps {
  isChosen: boolean;
  choose: () => void;
  children: ReactNode;
}

function Chip({ isChosen, choose, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={choose}
      className={`flex min-h-7 items-center gap-2 rounded-md border px-2 py-0.5 text-left text-xs ${isChosen ? "border-accent bg-raised text-text" : "border-line-strong text-soft hover:text-text"}`}
    >
      {children}
    </button>
  );
}

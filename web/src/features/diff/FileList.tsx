import { useState } from "react";
import { Counts } from "@/features/diff/FileDiff";
import { KINDS } from "@/features/diff/labels";
import { count } from "@/lib/format";
import { pathText } from "@/lib/patch/path";
import type { PatchFile } from "@/lib/patch/types";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

const MOST = 100;
const CELLS = ["1", "2", "3", "4", "5"];

/** All files with their kind of change. A click scrolls to the file. */
export function FileList({
  files,
  go,
}: {
  files: readonly PatchFile[];
  go: (place: number) => void;
}) {
  const [isWhole, setWhole] = useState(false);
  const listed = isWhole ? files : files.slice(0, MOST);
  const largest = listed.reduce((most, file) => Math.max(most, file.added + file.removed), 1);
  return (
    <nav aria-label="Files of the patch" className="card max-h-56 overflow-y-auto py-1">
      <ul>
        {listed.map((file, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a hostile patch can name a file twice
          <li key={place}>
            <button
              type="button"
              onClick={() => go(place)}
              className="flex min-h-7 w-full items-center gap-2 px-3 text-left text-sm hover:bg-raised"
            >
              <span className={`shrink-0 font-bold ${KINDS[file.kind].colour}`}>
                <span aria-hidden>{KINDS[file.kind].sign}</span>
                <span className="sr-only">{KINDS[file.kind].word}</span>
              </span>
              <span className="min-w-0 grow break-all">
                <Hostile text={pathText(file.path)} />
              </span>
              {file.binary ? (
                <span className="text-xs text-muted">binary</span>
              ) : (
                <Counts file={file} />
              )}
              <Share file={file} largest={largest} />
            </button>
          </li>
        ))}
      </ul>
      {files.length > listed.length && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          List all {count(files.length, "file")}
        </Button>
      )}
    </nav>
  );
}

/** Five cells that show the file's share of the change, and of additions in it. */
function Share({ file, largest }: { file: PatchFile; largest: number }) {
  const all = file.added + file.removed;
  const filled = all ? Math.max(1, Math.round((all / largest) * CELLS.length)) : 0;
  const green = all ? Math.round((file.added / all) * filled) : 0;
  return (
    <span aria-hidden className="hidden shrink-0 gap-px sm:flex">
      {CELLS.map((cell, place) => (
        <span
          key={cell}
          className={`h-2.5 w-1.5 rounded-[1px] ${place >= filled ? "bg-line" : place < green ? "bg-good" : "bg-bad"}`}
        />
      ))}
    </span>
  );
}

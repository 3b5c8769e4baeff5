import { Counts } from "@/features/diff/FileDiff";
import type { Layout } from "@/features/diff/hunks";
import type { View } from "@/features/diff/useLayout";
import { count } from "@/lib/format";
import type { PatchFile } from "@/lib/patch/types";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

interface Props {
  label: string;
  files: readonly PatchFile[];
  /** Null if the layout cannot be chosen. */
  view: View | null;
  ignores: boolean;
  ignore: (on: boolean) => void;
  isAllOpen: boolean;
  openAll: (isOpen: boolean) => void;
  download: string | undefined;
}

const LAYOUTS: readonly { id: Layout; name: string }[] = [
  { id: "unified", name: "Unified" },
  { id: "split", name: "Split" },
];

export function DiffToolbar(props: Props) {
  const { label, files, view, ignores, ignore, isAllOpen, openAll, download } = props;
  const total = {
    added: files.reduce((sum, file) => sum + file.added, 0),
    removed: files.reduce((sum, file) => sum + file.removed, 0),
  };
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
        <span className="mr-auto flex min-w-0 flex-wrap items-center gap-x-2 text-soft">
          <span className="min-w-0 font-medium text-text [overflow-wrap:anywhere]">
            <Hostile text={label} />
          </span>
          {count(files.length, "file")} <Counts file={total} />
        </span>
        {view?.isWide && <Choice view={view} />}
        <label className="inline-flex min-h-8 cursor-pointer items-center gap-1.5 text-soft">
          <input
            type="checkbox"
            checked={ignores}
            onChange={(event) => ignore(event.target.checked)}
            className="size-4 accent-accent"
          />
          Ignore whitespace
        </label>
        {files.length > 1 && (
          <Button look="quiet" onClick={() => openAll(!isAllOpen)}>
            {isAllOpen ? "Collapse all" : "Expand all"}
          </Button>
        )}
        {download && (
          <a
            href={download}
            download
            className="inline-flex min-h-8 items-center rounded-md px-2 text-second underline"
          >
            Download
          </a>
        )}
      </div>
      {ignores && (
        <p className="text-xs text-muted">
          Lines that differ only in spaces or tabs look unchanged. In Python, YAML or a Makefile
          they can matter.
        </p>
      )}
    </div>
  );
}

function Choice({ view }: { view: View }) {
  return (
    <fieldset className="inline-flex rounded-md border border-control">
      <legend className="sr-only">Layout</legend>
      {LAYOUTS.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          aria-pressed={view.chosen === id}
          onClick={() => view.choose(id)}
          className={`min-h-7 px-2.5 text-sm first-of-type:rounded-l last-of-type:rounded-r ${view.chosen === id ? "bg-raised text-text" : "text-muted hover:text-text"}`}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

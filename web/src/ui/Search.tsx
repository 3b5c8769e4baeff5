import type { Ref } from "react";
import { CONTROL } from "@/ui/Field";

interface Props {
  label: string;
  query: string;
  search: (query: string) => void;
  /** Index of the current match; -1 if there is none. */
  at: number;
  total: number;
  move: (by: 1 | -1) => void;
  ref?: Ref<HTMLInputElement>;
}

const STEP =
  "size-7 rounded-md border border-control text-soft hover:text-text disabled:opacity-60";

/** A search field with the number of matches and buttons for the next and previous one. */
export function Search({ label, query, search, at, total, move, ref }: Props) {
  return (
    <div className="flex min-w-0 items-center gap-1">
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={label}
        value={query}
        onChange={(event) => search(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") move(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        className={`${CONTROL} max-w-44 min-w-0`}
      />
      {query && (
        <>
          <span role="status" className="text-xs whitespace-nowrap text-muted tabular-nums">
            {!total ? "not found" : at < 0 ? `${total} found` : `${at + 1}/${total}`}
          </span>
          <button
            type="button"
            aria-label="Previous"
            disabled={!total}
            onClick={() => move(-1)}
            className={STEP}
          >
            ↑
          </button>
          <button
            type="button"
            aria-label="Next"
            disabled={!total}
            onClick={() => move(1)}
            className={STEP}
          >
            ↓
          </button>
        </>
      )}
    </div>
  );
}

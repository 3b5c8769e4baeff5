import { useRef } from "react";
import type { IssueFilter } from "@/api/queries/forge";
import { useDebounced } from "@/lib/useDebounced";
import { useKeys } from "@/lib/useKeys";
import { CONTROL } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";

interface Props {
  filter: IssueFilter;
  choose: (changes: Partial<IssueFilter>) => void;
}

/** Searches by words and one label. */
export function IssueSearch({ filter, choose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useDebounced(filter.q, (q) => choose({ q }));
  const [label, setLabel] = useDebounced(filter.label, (text) => choose({ label: text.trim() }));
  useKeys({ "/": () => input.current?.focus() });
  return (
    <search className="flex flex-wrap items-center gap-2">
      <input
        ref={input}
        type="search"
        aria-label="Search issues"
        placeholder="Search issues  /"
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${CONTROL} sm:max-w-80`}
      />
      <input
        type="text"
        aria-label="Label"
        placeholder="any label"
        maxLength={50}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        className={`${CONTROL} sm:max-w-44`}
      />
      {filter.label && (
        <button
          type="button"
          onClick={() => choose({ label: "" })}
          className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-md border border-accent-text bg-accent-ground px-2 text-sm"
        >
          <span className="min-w-0 truncate">
            label <Hostile text={filter.label} />
          </span>
          <span aria-hidden>×</span>
          <span className="sr-only">remove</span>
        </button>
      )}
    </search>
  );
}

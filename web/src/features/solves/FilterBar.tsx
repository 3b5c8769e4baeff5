import { useRef } from "react";
import type { Chosen } from "@/features/solves/filter";
import { VIEWS } from "@/features/solves/filter";
import { shown } from "@/lib/hostile";
import { useDebounced } from "@/lib/useDebounced";
import { useKeys } from "@/lib/useKeys";
import { CONTROL } from "@/ui/Field";

interface Props {
  chosen: Chosen;
  repos: readonly string[];
  choose: (changes: Partial<Chosen>) => void;
}

export function FilterBar({ chosen, repos, choose }: Props) {
  const search = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useDebounced(chosen.q, (q) => choose({ q }));
  useKeys({ "/": () => search.current?.focus() });
  return (
    <search className="flex flex-wrap items-center gap-2">
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">State</legend>
        {VIEWS.map((view) => (
          <button
            key={view.id}
            type="button"
            aria-pressed={chosen.view === view.id}
            onClick={() => choose({ view: view.id })}
            className="min-h-8 rounded-md border border-transparent px-2.5 text-sm text-soft hover:text-text aria-pressed:border-control aria-pressed:bg-raised aria-pressed:text-text"
          >
            {view.name}
          </button>
        ))}
      </fieldset>
      <div className="ml-auto flex min-w-0 flex-wrap gap-2 max-sm:w-full">
        {repos.length > 1 && (
          <select
            aria-label="Repository"
            value={chosen.repo}
            onChange={(event) => choose({ repo: event.target.value })}
            className={`${CONTROL} w-auto max-w-56`}
          >
            <option value="">all repositories</option>
            {repos.map((repo) => (
              <option key={repo} value={repo}>
                {shown(repo)}
              </option>
            ))}
          </select>
        )}
        <input
          ref={search}
          type="search"
          aria-label="Search issues and repositories"
          placeholder="Search  /"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className={`${CONTROL} sm:w-56`}
        />
      </div>
    </search>
  );
}

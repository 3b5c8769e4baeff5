import { type KeyboardEvent, useId } from "react";

export interface Tab<T extends string> {
  id: T;
  name: string;
}

interface Props<T extends string> {
  label: string;
  tabs: readonly Tab<T>[];
  chosen: T;
  choose: (id: T) => void;
  /** Id of the panel that the tabs control. */
  panel?: string;
}

const MOVES: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs<T extends string>({ label, tabs, chosen, choose, panel }: Props<T>) {
  const name = useId();
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = MOVES[event.key];
    if (!by) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (!next) return;
    choose(next.id);
    document.getElementById(`${name}-${next.id}`)?.focus();
  };
  return (
    <div
      role="tablist"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={move}
      className="flex flex-wrap gap-1 border-b border-line"
    >
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={`${name}-${tab.id}`}
          type="button"
          role="tab"
          aria-selected={tab.id === chosen}
          aria-controls={panel}
          tabIndex={tab.id === chosen ? 0 : -1}
          onClick={() => choose(tab.id)}
          className={`-mb-px border-b-2 px-3 py-1.5 text-sm ${tab.id === chosen ? "border-accent text-text" : "border-transparent text-muted hover:text-text"}`}
        >
          {tab.name}
        </button>
      ))}
    </div>
  );
}

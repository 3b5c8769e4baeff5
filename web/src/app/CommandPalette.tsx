import { useInfiniteQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { solvesQuery } from "@/api/queries/solves";
import { type Command, commandsOf, matching, solveCommands } from "@/app/commands";
import { Dialog } from "@/ui/Dialog";
import { CONTROL } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";

const MOST = 12;
const MOVES: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** Finds pages, solves and commands by part of their name. */
export function CommandPalette({ close }: { close: () => void }) {
  const go = useNavigate();
  const { pathname } = useLocation();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const solves = useInfiniteQuery(solvesQuery({}));
  const known = solves.data?.pages.flatMap((page) => page.solves) ?? [];
  const found = matching([...commandsOf(go, pathname), ...solveCommands(known, go)], typed).slice(
    0,
    MOST,
  );
  const chosen = Math.min(at, found.length - 1);
  const act = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  const press = (event: KeyboardEvent) => {
    const by = MOVES[event.key];
    if (by) {
      event.preventDefault();
      setAt((chosen + by + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      act(found[chosen]);
    }
  };
  return (
    <Dialog title="Go to" close={close}>
      <input
        role="combobox"
        aria-label="Search solves and commands"
        aria-expanded
        aria-controls="palette"
        aria-activedescendant={found[chosen] ? `palette-${chosen}` : undefined}
        autoFocus
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
        placeholder="an issue, a repository, a command"
        className={CONTROL}
      />
      <div id="palette" role="listbox" aria-label="Results" className="flex flex-col">
        {found.map((command, place) => (
          <Row
            key={command.id}
            id={`palette-${place}`}
            command={command}
            chosen={place === chosen}
            act={() => act(command)}
          />
        ))}
      </div>
      {found.length === 0 && <p className="text-sm text-muted">No matches.</p>}
    </Dialog>
  );
}

interface RowProps {
  id: string;
  command: Command;
  chosen: boolean;
  act: () => void;
}

function Row({ id, command, chosen, act }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      onClick={act}
      className="flex min-h-8 cursor-pointer items-baseline justify-between gap-4 rounded-md px-2 py-1 text-sm hover:bg-raised aria-selected:bg-raised aria-selected:text-accent-text"
    >
      <span className="min-w-0 truncate">
        <Hostile text={command.name} />
      </span>
      <span className="min-w-0 truncate text-xs text-muted">
        <Hostile text={command.hint} />
      </span>
    </div>
  );
}

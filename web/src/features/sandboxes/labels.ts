import type { Fate, SandboxView, Swept } from "@/api/types";
import { age, count, short } from "@/lib/format";

interface Whose {
  words: string;
  /** The whole of what is shortened. */
  full: string;
  /** null: it belongs to nothing that has a page. */
  to: string | null;
}

/** A run or a solve by the end of its id; anybody else by the name that they gave. */
export function whose({ tags, owner }: SandboxView): Whose {
  const solve = tags.solve ? `/solves/${encodeURIComponent(tags.solve)}` : null;
  if (solve && tags.run) {
    const to = `${solve}/runs/${encodeURIComponent(tags.run)}`;
    return { words: `run ${short(tags.run)}`, full: tags.run, to };
  }
  if (solve) return { words: `solve ${short(tags.solve)}`, full: tags.solve, to: solve };
  return { words: owner || "unknown", full: owner, to: null };
}

/** How long ago, where it is known. */
export function ago(at: number, now: number): string {
  return at > 0 ? `${age(now - at)} ago` : "?";
}

interface FateWords {
  sign: string;
  colour: string;
  dry: string;
  done: string;
}

export const FATES: Record<Fate, FateWords> = {
  reaped: { sign: "✓", colour: "text-good", dry: "would be removed", done: "removed" },
  refused: {
    sign: "✗",
    colour: "text-bad",
    dry: "cannot be removed",
    done: "could not be removed",
  },
  waiting: { sign: "○", colour: "text-soft", dry: "is being watched", done: "is being watched" },
};

export function countOf({ leftovers }: Swept, fate: Fate): number {
  return leftovers.filter((one) => one.fate === fate).length;
}

/** What a look found, in one line. */
export function summary(swept: Swept): string {
  const removed = countOf(swept, "reaped");
  const refused = countOf(swept, "refused");
  const waiting = countOf(swept, "waiting");
  const told = [
    removed && `${count(removed, "leftover")} ${swept.dry_run ? "would be " : ""}removed`,
    refused && `${count(refused, "leftover")} could not be removed; the next check tries again`,
    waiting && `${count(waiting, "leftover")} being watched`,
  ].filter(Boolean);
  if (told.length) return `${told.join("; ")}.`;
  if (swept.failures.length) return "Nothing was found on the backends that answered.";
  return "There are no leftovers.";
}

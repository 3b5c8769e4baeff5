import type { Fate, SandboxView, Swept } from "@/api/types";
import { age, count, short } from "@/lib/format";

interface Owner {
  words: string;
  /** The complete text. */
  full: string;
  /** Path of the owner's page; null if there is none. */
  to: string | null;
}

/** The owner of a sandbox: a run or solve by the end of its id, any other by name. */
export function ownerOf({ tags, owner }: SandboxView): Owner {
  const solve = tags.solve ? `/solves/${encodeURIComponent(tags.solve)}` : null;
  if (solve && tags.run) {
    const to = `${solve}/runs/${encodeURIComponent(tags.run)}`;
    return { words: `run ${short(tags.run)}`, full: tags.run, to };
  }
  if (solve) return { words: `solve ${short(tags.solve)}`, full: tags.solve, to: solve };
  return { words: owner || "unknown", full: owner, to: null };
}

/** Age of a time; "?" if it is unknown. */
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
  return leftovers.filter((leftover) => leftover.fate === fate).length;
}

/** Summarises a check in one line. */
export function summary(swept: Swept): string {
  const removed = countOf(swept, "reaped");
  const refused = countOf(swept, "refused");
  const waiting = countOf(swept, "waiting");
  const counts = [
    removed && `${count(removed, "leftover")} ${swept.dry_run ? "would be " : ""}removed`,
    refused && `${count(refused, "leftover")} could not be removed; the next check tries again`,
    waiting && `${count(waiting, "leftover")} being watched`,
  ].filter(Boolean);
  if (counts.length) return `${counts.join("; ")}.`;
  if (swept.failures.length) return "Nothing was found on the backends that answered.";
  return "There are no leftovers.";
}

import type { MessageView } from "@/api/types";
import type { Row } from "@/features/trajectory/rows";
import { stripped } from "@/lib/ansi";

const haystacks = new WeakMap<MessageView, string>();

function haystack(message: MessageView): string {
  const known = haystacks.get(message);
  if (known !== undefined) return known;
  const text = stripped([message.text, ...message.commands].join("\n")).toLowerCase();
  haystacks.set(message, text);
  return text;
}

/** Numbers of the messages that contain the query. */
export function findMessages(rows: readonly Row[], query: string): number[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  return rows.flatMap(({ message }) => (haystack(message).includes(wanted) ? [message.seq] : []));
}

/** The next or previous match of a message. Wraps around at the end. */
export function step(hits: readonly number[], from: number | null, by: 1 | -1): number | undefined {
  if (from === null) return by > 0 ? hits[0] : hits.at(-1);
  const next = by > 0 ? hits.find((seq) => seq > from) : hits.findLast((seq) => seq < from);
  return next ?? (by > 0 ? hits[0] : hits.at(-1));
}

import { memo, type ReactNode } from "react";
import { painted } from "@/lib/ansi";
import { pieces, shown } from "@/lib/hostile";

const MAX_MARKS = 60;

/** What a program printed: its colours in ours, never markup, and nothing in it is invisible. */
export const Ansi = memo(function Ansi({ text }: { text: string }) {
  return (
    <bdi>
      {painted(text).map((paint, place) =>
        paint.look ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
          <span key={place} className={paint.look}>
            {seen(paint.text)}
          </span>
        ) : (
          seen(paint.text)
        ),
      )}
    </bdi>
  );
});

/** Hidden characters by their numbers, marked as long as they are few. */
function seen(text: string): ReactNode {
  const found = pieces(text);
  if (found.length < 2 && !found[0]?.hidden) return text;
  if (found.length > MAX_MARKS) return shown(text);
  return found.map((piece, place) =>
    piece.hidden ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
      <mark key={place} className="rounded bg-bad-ground px-0.5 text-xs text-bad">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}

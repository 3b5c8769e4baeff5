import { memo, type ReactNode } from "react";
import { painted } from "@/lib/ansi";
import { piecesOf, shown } from "@/lib/hostile";
import { marked } from "@/ui/Hostile";

const MAX_MARKS = 60;

/**
 * Output of a program with its colours. Never rendered as markup; hidden characters are visible.
 */
export const Ansi = memo(function Ansi({ text }: { text: string }) {
  return (
    <bdi>
      {painted(text).map((paint, place) =>
        paint.look ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no id
          <span key={place} className={paint.look}>
            {withMarks(paint.text)}
          </span>
        ) : (
          withMarks(paint.text)
        ),
      )}
    </bdi>
  );
});

/** Replaces hidden characters with their code point, and marks them if there are few. */
function withMarks(text: string): ReactNode {
  const pieces = piecesOf(text);
  if (pieces.length < 2 && !pieces[0]?.hidden) return text;
  if (pieces.length > MAX_MARKS) return shown(text);
  return marked(pieces);
}

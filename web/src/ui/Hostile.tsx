import { memo } from "react";
import { piecesOf } from "@/lib/hostile";

/** Untrusted text: never rendered as markup, and hidden characters are visible. */
export const Hostile = memo(function Hostile({ text }: { text: string }) {
  return (
    <bdi>
      {piecesOf(text).map((piece, place) =>
        piece.hidden ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no id
          <mark key={place} className="rounded bg-bad-ground px-0.5 text-xs text-bad">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </bdi>
  );
});

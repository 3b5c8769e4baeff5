import { memo, type ReactNode } from "react";
import { type Piece, piecesOf } from "@/lib/hostile";

/** Untrusted text: never rendered as markup, and hidden characters are visible. */
export const Hostile = memo(function Hostile({ text }: { text: string }) {
  return <bdi>{marked(piecesOf(text))}</bdi>;
});

/** Marks the codes of hidden characters. */
export function marked(pieces: readonly Piece[]): ReactNode {
  return pieces.map((piece, place) =>
    piece.hidden ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no id
      <mark key={place} className="rounded bg-bad-ground px-0.5 text-xs text-bad">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}

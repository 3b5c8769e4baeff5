import { memo } from "react";
import { pieces } from "@/lib/hostile";

/** Text that is not ours: never markup, and nothing in it is invisible. */
export const Hostile = memo(function Hostile({ text }: { text: string }) {
  return (
    <bdi>
      {pieces(text).map((piece, place) =>
        piece.hidden ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
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

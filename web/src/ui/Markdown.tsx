import { lazy, memo, Suspense } from "react";
import { Hostile } from "@/ui/Hostile";

const Plain = memo(function Plain({ text }: { text: string }) {
  return (
    <div className="break-words whitespace-pre-wrap">
      <Hostile text={text} />
    </div>
  );
});

// Where its part cannot be had the text itself still can.
const Rendered = lazy(() => import("@/ui/MarkdownRendered").catch(() => ({ default: Plain })));

/** Markdown that is not ours: sanitised, no images, no HTML; as plain text until its part is here. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Rendered text={text} />
    </Suspense>
  );
}

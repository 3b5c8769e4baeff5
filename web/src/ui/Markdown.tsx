import { lazy, memo, Suspense } from "react";
import { Hostile } from "@/ui/Hostile";

const Plain = memo(function Plain({ text }: { text: string }) {
  return (
    <div className="break-words whitespace-pre-wrap">
      <Hostile text={text} />
    </div>
  );
});

// Falls back to plain text when the chunk cannot be loaded.
const Rendered = lazy(() => import("@/ui/MarkdownRendered").catch(() => ({ default: Plain })));

/**
 * Untrusted markdown: sanitised, without images and HTML. Shows plain text while the chunk loads.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Rendered text={text} />
    </Suspense>
  );
}

import { useEffect, useState } from "react";
import { Button } from "@/ui/Button";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState<"" | "copied" | "not allowed">("");
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(""), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setDone("copied"),
      () => setDone("not allowed"),
    );
  return (
    <Button look="quiet" onClick={copy} aria-live="polite">
      {done || label}
    </Button>
  );
}

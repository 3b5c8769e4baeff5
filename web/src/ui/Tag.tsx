import type { ReactNode } from "react";

type Tone = "plain" | "accent" | "second" | "good" | "bad";

const TONES: Record<Tone, string> = {
  plain: "border-line-strong text-soft",
  accent: "border-accent-text/50 text-accent-text",
  second: "border-second/50 text-second",
  good: "border-good/50 text-good",
  bad: "border-bad/50 text-bad",
};

/** A short label in a frame. */
export function Tag({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1 rounded border px-1.5 text-xs whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}

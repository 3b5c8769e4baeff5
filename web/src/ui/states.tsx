import type { ReactNode } from "react";
import type { ProblemError } from "@/api/problem";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** The empty state is the whole page. */
  page?: boolean;
}

/** Says what will appear here and offers the next action. */
export function Empty({ title, children, action, page = false }: EmptyProps) {
  const Heading = page ? "h1" : "h2";
  return (
    <div className="card flex flex-col items-center gap-3 px-6 py-10 text-center">
      <Heading className="text-base font-semibold">{title}</Heading>
      {children && <div className="max-w-prose text-sm text-soft">{children}</div>}
      {action}
    </div>
  );
}

/** Placeholder bars that keep the layout stable while data loads. */
export function Skeleton({ rows = 3, label = "Loading" }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-2">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no id
        <div key={row} className="h-9 rounded-md bg-raised motion-safe:animate-pulse" />
      ))}
    </div>
  );
}

export function Failure({ error, retry }: { error: ProblemError | Error; retry?: () => void }) {
  return (
    <div role="alert" className="card border-bad bg-bad-ground px-4 py-3 text-sm">
      <p className="text-bad">
        <span aria-hidden>✗ </span>
        <Hostile text={error.message} />
      </p>
      {retry && (
        <Button className="mt-2" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

type Tone = "warn" | "bad" | "note";
const TONES: Record<Tone, string> = {
  warn: "border-accent-text/40 bg-accent-ground text-accent-text",
  bad: "border-bad/40 bg-bad-ground text-bad",
  note: "border-second/40 bg-second-ground text-second",
};

export function Banner({
  tone = "note",
  children,
  action,
}: {
  tone?: Tone;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div
      role="status"
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border px-3 py-1.5 text-sm ${TONES[tone]}`}
    >
      <span className="min-w-0 grow">{children}</span>
      {action}
    </div>
  );
}

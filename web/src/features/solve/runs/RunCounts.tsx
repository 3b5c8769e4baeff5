import type { Progress } from "@/api/types";

const COUNTED: readonly { key: keyof Progress; colour: string; always: boolean }[] = [
  { key: "total", colour: "text-text", always: true },
  { key: "completed", colour: "text-good", always: true },
  { key: "running", colour: "text-second", always: true },
  { key: "verifying", colour: "text-second", always: false },
  { key: "queued", colour: "text-soft", always: false },
  { key: "failed", colour: "text-bad", always: true },
  { key: "cancelled", colour: "text-soft", always: false },
];

/** Number of runs per state. */
export function RunCounts({ progress }: { progress: Progress }) {
  return (
    <dl aria-label="Runs" className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs">
      {COUNTED.filter(({ key, always }) => always || progress[key] > 0).map(({ key, colour }) => (
        <div key={key} className="flex gap-1.5 whitespace-nowrap">
          <dt className="text-muted">{key}</dt>
          <dd className={`tabular-nums ${progress[key] ? colour : "text-muted"}`}>
            {progress[key]}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** One line for screen readers. */
export function inWords({ total, completed, running, verifying, failed }: Progress): string {
  const parts = [`${completed + failed} of ${total} runs done`];
  if (running) parts.push(`${running} running`);
  if (verifying) parts.push(`${verifying} being verified`);
  if (failed) parts.push(`${failed} failed`);
  return parts.join(", ");
}

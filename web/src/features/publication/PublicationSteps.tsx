import type { EventView, PublicationView } from "@/api/types";
import { type Step, steps } from "@/features/publication/steps";
import { clock, date } from "@/lib/format";

const LOOKS: Record<Step["phase"], readonly [sign: string, colour: string]> = {
  past: ["●", "text-soft"],
  now: ["◐", "text-second"],
  ahead: ["○", "text-muted"],
  failed: ["✗", "text-bad"],
};

interface Props {
  publication: PublicationView;
  events: readonly EventView[];
}

export function PublicationSteps({ publication, events }: Props) {
  return (
    <ol
      aria-label="Steps of publishing"
      className="grid min-w-0 grid-cols-2 gap-y-2 text-xs sm:flex sm:flex-wrap"
    >
      {steps(publication, events).map((step, place) => (
        <StepItem key={step.state} step={step} isFirst={place === 0} />
      ))}
    </ol>
  );
}

function StepItem({ step, isFirst }: { step: Step; isFirst: boolean }) {
  const isDone = step.state === "done" && step.phase === "past";
  const [sign, colour] = isDone ? (["✓", "text-good"] as const) : LOOKS[step.phase];
  const isNow = step.phase === "now";
  return (
    <li
      aria-current={isNow ? "step" : undefined}
      className={`flex min-w-0 items-start ${isFirst ? "" : "grow basis-24"}`}
    >
      {!isFirst && (
        <span
          aria-hidden
          className={`mx-2 mt-2 hidden h-px min-w-3 grow sm:block ${step.phase === "ahead" ? "bg-line" : "bg-control"}`}
        />
      )}
      <span className="flex flex-col">
        <span className={`whitespace-nowrap ${isNow ? "font-semibold" : ""} ${colour}`}>
          <span aria-hidden className={isNow ? "motion-safe:animate-pulse" : ""}>
            {sign}
          </span>{" "}
          {step.name}
        </span>
        <span className="pl-[1.4em] whitespace-nowrap text-muted tabular-nums">
          {step.at === null ? (
            step.phase === "ahead" && "not yet"
          ) : (
            <time dateTime={new Date(step.at * 1000).toISOString()} title={date(step.at)}>
              {clock(step.at)}
            </time>
          )}
        </span>
      </span>
    </li>
  );
}

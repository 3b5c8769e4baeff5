import { clock, date } from "@/lib/format";

export interface Step {
  name: string;
  sign: string;
  colour: string;
  isNow: boolean;
  isAhead: boolean;
  isPulsing?: boolean;
  /** Seconds since the epoch; null if there is no time. */
  at: number | null;
  /** Shown when there is no time. */
  otherwise: string;
  /** Shown after the time. */
  suffix?: string;
}

/** Steps of a process in a row, each with its sign, name and time. */
export function StepList({ label, steps }: { label: string; steps: readonly Step[] }) {
  return (
    <ol
      aria-label={label}
      className="grid min-w-0 grid-cols-2 gap-y-2 text-xs sm:flex sm:flex-wrap"
    >
      {steps.map((step, place) => (
        <StepItem key={step.name} step={step} isFirst={place === 0} />
      ))}
    </ol>
  );
}

function StepItem({ step, isFirst }: { step: Step; isFirst: boolean }) {
  return (
    <li
      aria-current={step.isNow ? "step" : undefined}
      className={`flex min-w-0 items-start ${isFirst ? "" : "grow basis-24"}`}
    >
      {!isFirst && (
        <span
          aria-hidden
          className={`mx-2 mt-2 hidden h-px min-w-3 grow sm:block ${step.isAhead ? "bg-line" : "bg-control"}`}
        />
      )}
      <span className="flex flex-col">
        <span className={`whitespace-nowrap ${step.isNow ? "font-semibold" : ""} ${step.colour}`}>
          <span aria-hidden className={step.isPulsing ? "motion-safe:animate-pulse" : ""}>
            {step.sign}
          </span>{" "}
          {step.name}
        </span>
        <span className="pl-[1.4em] whitespace-nowrap text-muted tabular-nums">
          {step.at === null ? (
            step.otherwise
          ) : (
            <time dateTime={new Date(step.at * 1000).toISOString()} title={date(step.at)}>
              {clock(step.at)}
            </time>
          )}
          {step.suffix}
        </span>
      </span>
    </li>
  );
}

import type { EventView, SolveState, WatchedSolve } from "@/api/types";
import { type Stage, stages } from "@/features/solve/timeline/events";
import { clock, date, duration } from "@/lib/format";

const ENDED: Partial<Record<SolveState, [string, string]>> = {
  awaiting_review: ["◆", "text-accent-text"],
  completed: ["✓", "text-good"],
  failed: ["✗", "text-bad"],
  cancelled: ["■", "text-muted"],
};

function look(stage: Stage): [string, string] {
  if (stage.phase === "now") return ENDED[stage.state] ?? ["●", "text-second"];
  return stage.phase === "past" ? ["●", "text-soft"] : ["○", "text-muted"];
}

interface Props {
  solve: WatchedSolve;
  events: readonly EventView[];
}

export function Timeline({ solve, events }: Props) {
  return (
    <ol
      aria-label="Timeline"
      className="grid min-w-0 grid-cols-2 gap-y-2 text-xs sm:flex sm:flex-wrap"
    >
      {stages(solve, events).map((stage, place) => (
        <Step key={stage.state} stage={stage} isFirst={place === 0} />
      ))}
    </ol>
  );
}

function Step({ stage, isFirst }: { stage: Stage; isFirst: boolean }) {
  const [sign, colour] = look(stage);
  const isNow = stage.phase === "now";
  return (
    <li
      aria-current={isNow ? "step" : undefined}
      className={`flex min-w-0 items-start ${isFirst ? "" : "grow basis-28"}`}
    >
      {!isFirst && (
        <span
          aria-hidden
          className={`mx-2 mt-2 hidden h-px sm:block min-w-4 grow ${stage.phase === "ahead" ? "bg-line" : "bg-control"}`}
        />
      )}
      <span className="flex flex-col">
        <span className={`whitespace-nowrap ${isNow ? "font-semibold" : ""} ${colour}`}>
          <span aria-hidden>{sign}</span> {stage.name}
        </span>
        <span className="pl-[1.4em] whitespace-nowrap text-muted tabular-nums">
          {stage.at === null ? (
            stage.phase === "skipped" ? (
              "skipped"
            ) : (
              "not yet"
            )
          ) : (
            <time dateTime={new Date(stage.at * 1000).toISOString()} title={date(stage.at)}>
              {clock(stage.at)}
            </time>
          )}
          {stage.lasted !== null && ` · ${duration(stage.lasted)}`}
        </span>
      </span>
    </li>
  );
}

import type { EventView, SolveState, WatchedSolve } from "@/api/types";
import { type Stage, stages } from "@/features/solve/timeline/events";
import { duration } from "@/lib/format";
import { StepList } from "@/ui/StepList";

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
  const steps = stages(solve, events).map((stage) => {
    const [sign, colour] = look(stage);
    return {
      name: stage.name,
      sign,
      colour,
      isNow: stage.phase === "now",
      isAhead: stage.phase === "ahead",
      at: stage.at,
      otherwise: stage.phase === "skipped" ? "skipped" : "not yet",
      suffix: stage.lasted === null ? "" : ` · ${duration(stage.lasted)}`,
    };
  });
  return <StepList label="Timeline" steps={steps} />;
}

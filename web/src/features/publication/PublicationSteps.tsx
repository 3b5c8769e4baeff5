import type { EventView, PublicationView } from "@/api/types";
import { type Step, steps } from "@/features/publication/steps";
import { StepList } from "@/ui/StepList";

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
  const all = steps(publication, events).map(({ state, name, at, phase }) => {
    const isDone = state === "done" && phase === "past";
    const [sign, colour] = isDone ? (["✓", "text-good"] as const) : LOOKS[phase];
    const isNow = phase === "now";
    const isAhead = phase === "ahead";
    const otherwise = isAhead ? "not yet" : "";
    return { name, sign, colour, isNow, isAhead, isPulsing: isNow, at, otherwise };
  });
  return <StepList label="Steps of publishing" steps={all} />;
}

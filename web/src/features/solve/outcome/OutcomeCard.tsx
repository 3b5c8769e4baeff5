import type { ReactNode } from "react";
import type { LaneView, PlaceEntry, SolveView, WatchedSolve } from "@/api/types";
import type { Taken } from "@/features/solve/outcome/decision";

export interface OutcomeProps {
  solveId: string;
  solve: WatchedSolve;
  facts: SolveView | undefined;
  ranking: readonly PlaceEntry[];
  champion: LaneView | undefined;
  taken: Taken | null;
  apply: () => void;
  dismiss: () => void;
  diff: (runId: string) => void;
  /** Opens the setup log, which most likely explains a failure. */
  seeSetup: () => void;
}

export const LINK =
  "inline-flex min-h-8 items-center rounded-md border border-control bg-panel px-3 py-1 text-sm whitespace-nowrap hover:border-accent-text";

interface OutcomeCardProps {
  title: ReactNode;
  tone?: string;
  children?: ReactNode;
  actions?: ReactNode;
}

export function OutcomeCard({ title, tone = "", children, actions }: OutcomeCardProps) {
  return (
    <section
      aria-label="Outcome"
      className={`card flex min-w-0 flex-wrap items-center gap-x-6 gap-y-2 px-4 py-2.5 ${tone}`}
    >
      <div className="flex min-w-0 grow basis-[34rem] flex-col gap-0.5">
        <h2 className="min-w-0 text-base font-semibold break-words">{title}</h2>
        <div className="min-w-0 text-sm break-words text-soft [overflow-wrap:anywhere]">
          {children}
        </div>
      </div>
      <div className="flex flex-wrap gap-2">{actions}</div>
    </section>
  );
}

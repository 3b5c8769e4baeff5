import type { ReactNode } from "react";
import type { LaneView } from "@/api/types";
import { worked } from "@/features/solve/runs/axis";
import { isOver } from "@/features/solve/runs/order";
import { count, duration, money } from "@/lib/format";

function Cell({ name, title, children }: { name: string; title?: string; children: ReactNode }) {
  return (
    <span title={title} className="whitespace-nowrap tabular-nums @6xl:text-right">
      <span className="mr-1 text-muted @6xl:sr-only">{name} </span>
      {children}
    </span>
  );
}

/** Steps, cost, time, tests and the size of the change. */
export function RunLaneNumbers({ lane, now }: { lane: LaneView; now: number }) {
  const hasStarted = lane.started_at !== null;
  const limit = lane.step_limit ? `/${lane.step_limit}` : "";
  // A patch that was given is submitted without a step of an agent.
  const isGiven = lane.steps === 0 && (lane.submitted_at !== null || isOver(lane.state));
  return (
    <div className="order-5 grid w-full grid-cols-3 gap-x-4 gap-y-0.5 text-xs @3xl:order-6 @3xl:col-span-2 @3xl:col-start-3 @3xl:grid-cols-5 @6xl:order-none @6xl:contents @6xl:text-sm">
      <Cell name="steps">
        {isGiven ? (
          <Nothing />
        ) : (
          <>
            {lane.steps}
            <span className="text-muted">{limit}</span>
          </>
        )}
      </Cell>
      <Cell name="cost">{hasStarted && !isGiven ? money(lane.cost_usd) : <Nothing />}</Cell>
      <Cell name="time">{hasStarted && !isGiven ? duration(worked(lane, now)) : <Nothing />}</Cell>
      <Cell name="tests">
        <Tests lane={lane} />
      </Cell>
      <Cell
        name="change"
        title={`${count(lane.files_changed, "file")}, ${count(lane.lines, "line")} changed`}
      >
        {lane.files_changed || lane.lines ? (
          <>
            {lane.files_changed}f <span className="text-muted">±{lane.lines}</span>
          </>
        ) : (
          <Nothing />
        )}
      </Cell>
    </div>
  );
}

function Tests({ lane: { tests } }: { lane: LaneView }) {
  if (!tests) return <Nothing />;
  const isGood = tests.failed === 0;
  return (
    <span className={isGood ? "text-good" : "text-bad"}>
      <span aria-hidden>{isGood ? "✓" : "✗"}</span> {tests.passed}/{tests.total}
    </span>
  );
}

function Nothing() {
  return (
    <span className="text-muted">
      <span aria-hidden>–</span>
      <span className="sr-only">none yet</span>
    </span>
  );
}

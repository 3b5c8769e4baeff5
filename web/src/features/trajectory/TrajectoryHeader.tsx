import type { ReactNode } from "react";
import { Link } from "react-router";
import type { LaneView } from "@/api/types";
import { isGiven } from "@/features/trajectory/GivenPatch";
import type { Reader } from "@/features/trajectory/useReader";
import type { Run } from "@/features/trajectory/useRun";
import { count, duration, money } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { CONTROL } from "@/ui/Field";
import { StateBadge, VerdictBadge } from "@/ui/StateBadge";

interface Props {
  solveId: string;
  runId: string;
  facts: Run;
  reader: Reader;
}

const LINK =
  "inline-flex min-h-8 items-center rounded-md px-2 text-sm text-soft hover:bg-raised hover:text-text";

/** The run's name, state and cost. */
export function TrajectoryHeader({ solveId, runId, facts, reader }: Props) {
  const { lane, isChampion, place, total } = facts;
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link to={`/solves/${solveId}`} className={`${LINK} -ml-2`}>
          ← solve
        </Link>
        <h1 className="min-w-0 text-lg max-sm:order-last max-sm:basis-full font-semibold break-words">
          {isChampion && <Star />}
          {lane ? shown(lane.handle) : "Trajectory"}
        </h1>
        <nav aria-label="Contestants" className="ml-auto flex items-center gap-1 text-sm">
          <Sibling solveId={solveId} runId={facts.previous} name="Previous contestant" sign="‹" />
          <span className="text-muted tabular-nums">
            {place || "–"}/{total || "–"}
          </span>
          <Sibling solveId={solveId} runId={facts.next} name="Next contestant" sign="›" />
        </nav>
      </div>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-1">
        <Facts facts={facts} reader={reader} />
        <div className="ml-auto flex flex-wrap items-center gap-1">
          <Attempts facts={facts} reader={reader} />
          {!isGiven(facts) && (
            <a
              href={`/api/runs/${encodeURIComponent(runId)}/trajectory.json`}
              download
              className={LINK}
            >
              trajectory.json ↓
            </a>
          )}
        </div>
      </div>
    </header>
  );
}

export function CompactTrajectoryHeader({ solveId, runId, facts, reader }: Props) {
  const { lane, isChampion } = facts;
  const messages = messageCount(facts, reader);
  return (
    <header className="flex flex-wrap items-baseline gap-x-3 text-xs">
      <h3 className="min-w-0 text-sm font-semibold break-words">
        {isChampion && <Star />}
        <Link to={`/solves/${solveId}/runs/${runId}`} className="hover:underline">
          {lane ? shown(lane.handle) : "…"}
        </Link>
      </h3>
      {lane && <StateBadge state={lane.state} />}
      <span className="ml-auto text-muted tabular-nums">
        {lane
          ? isGiven(facts)
            ? "a patch that was given"
            : `${money(lane.cost_usd)} · ${count(lane.steps, "call")} · ${count(messages, "message")}`
          : ""}
      </span>
    </header>
  );
}

function Facts({ facts, reader }: { facts: Run; reader: Reader }) {
  const { lane, run } = facts;
  const model = run?.contestant.model;
  if (isGiven(facts)) return <GivenFacts facts={facts} />;
  return (
    <dl className="flex min-w-0 flex-wrap gap-x-6 gap-y-1 text-sm">
      <Fact name="status">
        {lane ? <StateBadge state={lane.state} /> : "–"}{" "}
        {lane?.verdict && <VerdictBadge status={lane.verdict} />}
      </Fact>
      <Fact name="cost">{lane ? money(lane.cost_usd) : "–"}</Fact>
      <Fact name="API calls">{lane ? `${lane.steps}/${lane.step_limit}` : "–"}</Fact>
      <Fact name="messages">{messageCount(facts, reader)}</Fact>
      <Fact name="time">{lane?.started_at ? duration(agentSeconds(lane)) : "–"}</Fact>
      <Fact name="model">{model ? shown(model) : "–"}</Fact>
      <Fact name="agent" isExtra>
        {run ? shown(run.contestant.agent) : "–"}
      </Fact>
    </dl>
  );
}

/** Of a patch that was given: no model, calls or time of an agent. */
function GivenFacts({ facts: { lane, run } }: { facts: Run }) {
  return (
    <dl className="flex min-w-0 flex-wrap gap-x-6 gap-y-1 text-sm">
      <Fact name="status">
        {lane ? <StateBadge state={lane.state} /> : "–"}{" "}
        {lane?.verdict && <VerdictBadge status={lane.verdict} />}
      </Fact>
      <Fact name="author">{shown(run?.contestant.author ?? "") || "–"}</Fact>
      <Fact name="change">
        {lane ? `${count(lane.files_changed, "file")}, ${count(lane.lines, "line")}` : "–"}
      </Fact>
    </dl>
  );
}

/** Seconds until the run submitted, as the ranking counts them: without verification. */
function agentSeconds({ started_at, submitted_at, elapsed_ms }: LaneView): number {
  if (started_at !== null && submitted_at !== null) return submitted_at - started_at;
  return elapsed_ms / 1000;
}

function Fact(props: { name: string; isExtra?: boolean; children: ReactNode }) {
  const { name, isExtra = false, children } = props;
  return (
    <div className={`flex min-w-0 flex-col ${isExtra ? "max-sm:hidden" : ""}`}>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="break-words tabular-nums">{children}</dd>
    </div>
  );
}

/** Number of messages. While a run works, the live messages are newer than the fetched count. */
function messageCount({ run }: Run, { trajectory, view }: Reader): number {
  const last = (trajectory.messages.at(-1)?.seq ?? -1) + 1;
  const isPresent = view.attempt === null || view.attempt === run?.attempt;
  return isPresent ? Math.max(last, run?.message_count ?? 0) : last;
}

function Star() {
  return (
    <span className="text-accent-text">
      <span aria-hidden>★ </span>
      <span className="sr-only">Champion: </span>
    </span>
  );
}

interface SiblingProps {
  solveId: string;
  runId: string | undefined;
  name: string;
  sign: string;
}

function Sibling({ solveId, runId, name, sign }: SiblingProps) {
  const look = "inline-flex size-8 items-center justify-center rounded-md";
  if (!runId) return <span aria-hidden className={`${look} text-line-strong`} />;
  return (
    <Link
      to={`/solves/${solveId}/runs/${runId}`}
      aria-label={name}
      className={`${look} text-soft hover:bg-raised hover:text-text`}
    >
      {sign}
    </Link>
  );
}

function Attempts({ facts: { attempts, lane }, reader }: { facts: Run; reader: Reader }) {
  if (attempts.length < 2) return null;
  const present = lane?.attempt ?? attempts.length;
  return (
    <select
      aria-label="Attempt"
      value={reader.view.attempt ?? present}
      onChange={(event) => {
        const chosen = Number(event.target.value);
        reader.view.look({ attempt: chosen === present ? "" : String(chosen), m: "" });
        reader.follow(true);
      }}
      className={`${CONTROL} w-auto!`}
    >
      {attempts.map(({ number, cause }) => (
        <option key={number} value={number}>
          attempt {number}
          {number === present ? " (current)" : ` (earlier${cause ? `, ${cause}` : ""})`}
        </option>
      ))}
    </select>
  );
}

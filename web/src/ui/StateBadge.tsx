import type { RunState, SolveState, VerdictStatus } from "@/api/types";

/** A state has a sign, a word and a colour, because colour alone is not accessible. */
interface Look {
  sign: string;
  word: string;
  colour: string;
}

const STATES: Record<SolveState | RunState, Look> = {
  queued: { sign: "○", word: "queued", colour: "text-muted" },
  running: { sign: "●", word: "running", colour: "text-second" },
  verifying: { sign: "◐", word: "verifying", colour: "text-second" },
  awaiting_review: { sign: "◆", word: "awaiting review", colour: "text-accent-text" },
  completed: { sign: "✓", word: "completed", colour: "text-good" },
  failed: { sign: "✗", word: "failed", colour: "text-bad" },
  cancelled: { sign: "■", word: "cancelled", colour: "text-muted" },
};

const NEEDS_YOU: Look = { sign: "?", word: "needs you", colour: "font-semibold text-accent-text" };

const VERDICTS: Record<VerdictStatus, Look> = {
  passed: { sign: "✓", word: "passed", colour: "text-good" },
  unproved: { sign: "?", word: "unproved", colour: "text-accent-text" },
  failed: { sign: "✗", word: "failed", colour: "text-bad" },
  unverified: { sign: "–", word: "unverified", colour: "text-muted" },
  none: { sign: "–", word: "nothing to verify", colour: "text-muted" },
};

export function StateBadge({ state }: { state: SolveState | RunState }) {
  return <Badge look={STATES[state]} live={state === "running" || state === "verifying"} />;
}

interface SolveBadgeProps {
  state: SolveState;
  needsYou: boolean;
}

export function SolveBadge({ state, needsYou }: SolveBadgeProps) {
  return needsYou ? <Badge look={NEEDS_YOU} /> : <StateBadge state={state} />;
}

export function VerdictBadge({ status }: { status: VerdictStatus }) {
  return <Badge look={VERDICTS[status]} />;
}

function Badge({ look, live = false }: { look: Look; live?: boolean }) {
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${look.colour}`}>
      <span aria-hidden className={live ? "motion-safe:animate-pulse" : ""}>
        {look.sign}
      </span>
      {look.word}
    </span>
  );
}

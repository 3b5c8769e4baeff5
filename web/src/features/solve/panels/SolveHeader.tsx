import { Link } from "react-router";
import { isActive, needsYou } from "@/api/queries/solves";
import type { Origin, SolveView, WatchedSolve } from "@/api/types";
import { duration, money, short } from "@/lib/format";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { ForgeLink } from "@/ui/ForgeLink";
import { Hostile } from "@/ui/Hostile";
import { SolveBadge } from "@/ui/StateBadge";

interface Props {
  solveId: string;
  solve: WatchedSolve;
  facts: SolveView | undefined;
  aheadMs: number;
  isTalking: boolean;
  talk: () => void;
  stop: () => void;
}

export function SolveHeader({ solveId, solve, facts, aheadMs, isTalking, talk, stop }: Props) {
  const isOpen = isActive(solve.state);
  return (
    <header className="flex min-w-0 flex-col gap-1">
      <Breadcrumb solveId={solveId} facts={facts} />
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <h1 className="min-w-0 grow basis-80 text-lg font-semibold break-words">
          {facts ? <Hostile text={facts.issue_title || facts.solve.issue} /> : "Solve"}
        </h1>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
          <SolveBadge state={solve.state} needsYou={needsYou(solve)} />
          <Elapsed solve={solve} aheadMs={aheadMs} />
          <Cost solve={solve} />
          <Button onClick={talk} aria-expanded={isTalking}>
            Conversation
          </Button>
          {isOpen && (
            <Button look="danger" onClick={stop}>
              Stop
            </Button>
          )}
        </div>
      </div>
    </header>
  );
}

function Breadcrumb({ solveId, facts }: Pick<Props, "solveId" | "facts">) {
  return (
    <p className="flex flex-wrap gap-x-2 text-xs break-words text-muted">
      <Link to="/" className="hover:text-text">
        solves
      </Link>
      <span aria-hidden>/</span>
      {facts && (
        <>
          <span className="text-soft">
            <Hostile text={facts.solve.repo} />
            {facts.issue_number !== null && <IssueNumber facts={facts} />}
          </span>
          <span>
            <Hostile text={facts.base_branch} />
            {facts.base_commit && `@${facts.base_commit.slice(0, 8)}`}
          </span>
        </>
      )}
      <span title={solveId}>{short(solveId)}</span>
      {facts?.origin && <RequestedBy origin={facts.origin} />}
    </p>
  );
}

function IssueNumber({ facts }: { facts: SolveView }) {
  const number = `#${facts.issue_number}`;
  if (!facts.issue_facts) return number;
  return (
    <ForgeLink url={facts.issue_facts.url} className="hover:text-text hover:underline">
      {number}
    </ForgeLink>
  );
}

const WAYS: Record<Origin["kind"], string> = {
  person: "",
  label: "requested with a label",
  comment: "requested in a comment",
};

/** Who requested the solve at the forge, with a link. */
function RequestedBy({ origin }: { origin: Origin }) {
  const way = WAYS[origin.kind];
  if (!way) return null;
  return (
    <span className="text-soft">
      {origin.url ? (
        <ForgeLink url={origin.url} className="underline hover:text-text">
          {way}
        </ForgeLink>
      ) : (
        way
      )}
      {origin.login && (
        <>
          {" "}
          by <Hostile text={origin.login} />
        </>
      )}
    </span>
  );
}

/** A component of its own, so that each tick renders only this element. */
function Elapsed({ solve, aheadMs }: Pick<Props, "solve" | "aheadMs">) {
  const now = (useNow(1000, solve.finished_at === null) + aheadMs) / 1000;
  const from = solve.started_at ?? solve.created_at;
  return (
    <span className="tabular-nums">
      <span className="sr-only">elapsed </span>
      {duration(Math.max(0, (solve.finished_at ?? now) - from))}
    </span>
  );
}

function Cost({ solve: { cost_usd: cost, cost_cap_usd: cap } }: Pick<Props, "solve">) {
  return (
    <span className="tabular-nums">
      <span className="sr-only">cost </span>
      {money(cost)}
      {cap > 0 && <span className="text-muted"> of {money(cap)}</span>}
    </span>
  );
}

import { Link } from "react-router";
import type { PlaceEntry } from "@/api/types";
import {
  compareUrl,
  decidedBy,
  endingOf,
  ruleOf,
  sansVerdict,
} from "@/features/solve/outcome/decision";
import { Failed, NoChampion, Stopped } from "@/features/solve/outcome/endings";
import { LINK, OutcomeCard, type OutcomeProps } from "@/features/solve/outcome/OutcomeCard";
import { ProofLine } from "@/features/solve/outcome/ProofLine";
import { count, date, duration, money } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { VerdictBadge } from "@/ui/StateBadge";

/** The outcome. Shown from the start, so that the page does not move when it arrives. */
export function Outcome(props: OutcomeProps) {
  switch (endingOf(props.solve)) {
    case "open":
      return <Undecided {...props} />;
    case "asked":
      return <Asked {...props} />;
    case "champion":
      return <Champion {...props} />;
    case "none":
      return <NoChampion {...props} />;
    case "failed":
      return <Failed {...props} />;
    default:
      return <Stopped {...props} />;
  }
}

function Undecided({ facts, solve }: OutcomeProps) {
  const { progress } = solve;
  const over = progress.completed + progress.failed + progress.cancelled;
  return (
    <OutcomeCard title={<span className="text-soft">No champion yet</span>}>
      {over} of {count(progress.total, "run")} done.
      {facts && ` The rule: ${ruleOf(facts.reducer)}.`}
    </OutcomeCard>
  );
}

function Asked({ solveId, ranking, dismiss }: OutcomeProps) {
  const [first, second] = ranking.filter((entry) => entry.files_changed > 0);
  return (
    <OutcomeCard
      title="No champion yet: a person has to answer"
      actions={
        <>
          {first && second && (
            <Link to={compareUrl(solveId, first.run_id, second.run_id)} className={LINK}>
              Compare and choose manually
            </Link>
          )}
          <Button onClick={dismiss}>Dismiss</Button>
        </>
      }
    >
      The answer decides whether one of the patches is offered.
    </OutcomeCard>
  );
}

function Champion(props: OutcomeProps) {
  const { solve, ranking, champion, facts, taken } = props;
  const place = ranking.find((entry) => entry.run_id === solve.champion);
  const second = decidedBy(ranking, solve.champion ?? "");
  return (
    <OutcomeCard
      tone="border-accent-text/50 bg-accent-ground"
      title={
        <span className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-accent-text">
            <span aria-hidden>★ </span>
            <Hostile text={champion?.handle ?? "Champion"} />
          </span>
          {place && <VerdictBadge status={place.verdict.status} />}
          {place && <Numbers place={place} />}
        </span>
      }
      actions={<Decisions {...props} />}
    >
      {place && <ProofLine verdict={place.verdict} contestants={solve.progress.total} />}
      <p>
        <Hostile
          text={place && second ? sansVerdict(place.why, place.verdict.status) : solve.reason}
        />
      </p>
      {second && (
        <p>
          <span className="text-muted">second was </span>
          <Hostile text={`${second.handle}: ${second.why}`} />
          {facts && <span className="text-muted"> · {ruleOf(facts.reducer)}</span>}
        </p>
      )}
      {taken && (
        <p className={taken.isTaken ? "text-good" : ""}>
          {taken.isTaken && <span aria-hidden>✓ </span>}
          <Hostile text={taken.words} />
          <span className="text-muted"> · {date(taken.at)}</span>
        </p>
      )}
    </OutcomeCard>
  );
}

function Numbers({ place }: { place: PlaceEntry }) {
  return (
    <span className="text-sm font-normal text-muted tabular-nums">
      <span title="Test files are not counted">
        {count(place.files_changed, "file")} · {count(place.lines_changed, "line")} excluding tests
      </span>{" "}
      · {duration(place.latency_ms / 1000)} · {money(place.cost_usd)}
    </span>
  );
}

function Decisions({ solveId, solve, facts, ranking, taken, ...act }: OutcomeProps) {
  const champion = solve.champion ?? "";
  const other = ranking.find((entry) => entry.run_id !== champion);
  const isWaiting = solve.state === "awaiting_review";
  return (
    <>
      <Button onClick={() => act.diff(champion)} aria-keyshortcuts="d">
        Diff
      </Button>
      {other && (
        <Link to={compareUrl(solveId, champion, other.run_id)} className={LINK}>
          {taken ? "Compare" : "Choose another"}
        </Link>
      )}
      {isWaiting && <Button onClick={act.dismiss}>Dismiss</Button>}
      {facts?.can_apply && !taken && (
        <Button look="primary" onClick={act.apply}>
          Apply
        </Button>
      )}
      {facts && !facts.can_apply && (
        <a
          href={`/api/runs/${champion}/patch`}
          download={`${champion.slice(-8)}.patch`}
          className={LINK}
        >
          Download the patch
        </a>
      )}
      {facts?.cannot_apply_because && !facts.repo_url && (
        <span className="basis-full text-right text-xs text-muted">
          Cannot be applied: <Hostile text={facts.cannot_apply_because} />
        </span>
      )}
    </>
  );
}

import { useState } from "react";
import { Link } from "react-router";
import { useMe } from "@/api/queries/me";
import { isSettled } from "@/api/queries/publication";
import type { EventView, PublicationView, SolveView, WatchedSolve } from "@/api/types";
import { OutcomeList } from "@/features/publication/OutcomeList";
import { type Offer, offerOf } from "@/features/publication/offer";
import { PublicationSteps } from "@/features/publication/PublicationSteps";
import { PublishDialog } from "@/features/publication/PublishDialog";
import { PullBadge, PullFacts } from "@/features/publication/PullFacts";
import { usePublication } from "@/features/publication/usePublication";
import { repoName, solvePath } from "@/lib/forge";
import { age, count } from "@/lib/format";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { Failure } from "@/ui/states";

interface Props {
  solveId: string;
  solve: WatchedSolve;
  facts: SolveView;
  events: readonly EventView[];
}

/** The pull request of a solve: publishing, its progress and outcomes. Hidden without a forge. */
export function PublicationPanel({ solveId, solve, facts, events }: Props) {
  const { forge_url: forge } = useMe();
  const repo = repoName(facts.repo_url, forge);
  const { publication, outcomes, error } = usePublication(solveId, facts, events);
  const [isConfirming, setConfirming] = useState(false);
  const offer = offerOf(solve, facts, publication);
  if (!publication && (!repo || offer.kind === "nothing")) return null;
  const handle = facts.runs.find(({ id }) => id === solve.champion)?.handle ?? "the champion";
  return (
    <section
      aria-label="Pull request"
      className="card flex min-w-0 flex-col gap-3 px-4 py-3 text-sm"
    >
      <header className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="text-base font-semibold">{titleOf(publication)}</h2>
        {publication && <PullBadge publication={publication} />}
        <div className="ml-auto flex flex-wrap gap-2">
          <Actions
            offer={offer}
            repo={repo}
            facts={facts}
            publication={publication}
            publish={() => setConfirming(true)}
          />
        </div>
      </header>
      {offer.kind === "not" && (
        <p className="text-accent-text">
          <span aria-hidden>! </span>
          {offer.why}
        </p>
      )}
      {!publication && offer.kind === "publish" && (
        <p className="text-soft">
          Nothing has been published. The champion's patch can become a draft pull request at{" "}
          <Hostile text={repo} />.
        </p>
      )}
      {publication && <Progress publication={publication} events={events} />}
      {error && <Failure error={error} />}
      {outcomes.data && publication && (
        <OutcomeList
          solveId={solveId}
          repoUrl={publication.repo_url}
          outcomes={outcomes.data.outcomes}
        />
      )}
      {isConfirming && (
        <PublishDialog
          solveId={solveId}
          repo={repo}
          handle={handle}
          facts={facts}
          close={() => setConfirming(false)}
        />
      )}
    </section>
  );
}

function titleOf(publication: PublicationView | null): string {
  if (!publication) return "No pull request yet";
  if (publication.run_id === null) return "Comment only, no pull request";
  const { pull_number: number } = publication;
  return number === null ? "Pull request" : `Pull request #${number}`;
}

interface ActionsProps {
  offer: Offer;
  repo: string;
  facts: SolveView;
  publication: PublicationView | null;
  publish: () => void;
}

function Actions({ offer, repo, facts, publication, publish }: ActionsProps) {
  return (
    <>
      {publication?.state === "stale" && repo && (
        <Link
          to={solvePath(repo, facts.issue_number)}
          className="inline-flex min-h-8 items-center rounded-md border border-control bg-panel px-3 py-1 hover:border-accent-text"
        >
          Solve again
        </Link>
      )}
      {offer.kind === "again" && <Button onClick={publish}>Try again</Button>}
      {offer.kind === "publish" && (
        <Button look="primary" onClick={publish}>
          Open pull request
        </Button>
      )}
    </>
  );
}

function Progress({
  publication,
  events,
}: Omit<Props, "solveId" | "solve" | "facts"> & { publication: PublicationView }) {
  return (
    <>
      <PublicationSteps publication={publication} events={events} />
      <ProgressNotice publication={publication} />
      <PullFacts publication={publication} />
    </>
  );
}

const NEXT: Partial<Record<PublicationView["state"], string>> = {
  refused:
    "No pull request was opened. Fix the problem or choose another champion, then try again. You can download the patch above.",
  stale:
    "The base branch has changed in the patch's files. Solve the issue again from the current base.",
};

/** Why publishing stopped and what to do, or when it is retried. */
function ProgressNotice({ publication }: { publication: PublicationView }) {
  const { state, reason, error, tries, due_at: due } = publication;
  const next = NEXT[state];
  if (next) {
    return (
      <div role="alert" className="rounded-md border border-bad bg-bad-ground px-3 py-2 text-bad">
        <p className="break-words">
          <span aria-hidden>✗ </span>
          <Hostile text={reason || "unknown error"} />
        </p>
        <p className="mt-1 text-xs text-soft">{next}</p>
      </div>
    );
  }
  if (isSettled(state) || !error) return null;
  return (
    <p className="break-words text-accent-text">
      <span aria-hidden>! </span>
      Tried {count(tries, "time")}: <Hostile text={error} />
      <Wait due={due} />
    </p>
  );
}

function Wait({ due }: { due: number | null }) {
  const now = useNow(1000) / 1000;
  if (due === null) return null;
  return (
    <span className="text-muted">
      {due > now ? `; retrying in ${age(due - now + 0.5)}` : "; retrying …"}
    </span>
  );
}

import type { OutcomeView } from "@/api/types";
import { commitUrl, evidenceOf, LOOKS } from "@/features/publication/outcomes";
import { useConfirm } from "@/features/publication/usePublication";
import { date } from "@/lib/format";
import { Button } from "@/ui/Button";
import { ForgeLink } from "@/ui/ForgeLink";
import { Hostile } from "@/ui/Hostile";

interface Props {
  solveId: string;
  repoUrl: string;
  outcomes: readonly OutcomeView[];
}

/** Outcomes of the pull request in the order they were seen, with evidence. */
export function OutcomeList({ solveId, repoUrl, outcomes }: Props) {
  if (!outcomes.length) return null;
  return (
    <ol aria-label="Outcomes" className="flex flex-col gap-2 border-t border-line pt-3">
      {outcomes.map((outcome) => (
        <li key={outcome.id} className="flex min-w-0 flex-col gap-1 text-sm">
          <p className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            <span className={`font-medium whitespace-nowrap ${LOOKS[outcome.kind].colour}`}>
              <span aria-hidden>{LOOKS[outcome.kind].sign}</span> {LOOKS[outcome.kind].name}
            </span>
            <time
              dateTime={new Date(outcome.at * 1000).toISOString()}
              className="text-xs text-muted tabular-nums"
            >
              {date(outcome.at)}
            </time>
            <span className="min-w-0 break-words text-soft">
              <Hostile text={evidenceOf(outcome).join(", ")} />
            </span>
            {commitUrl(repoUrl, outcome) && (
              <ForgeLink url={commitUrl(repoUrl, outcome)}>view</ForgeLink>
            )}
          </p>
          {outcome.waits && <Question solveId={solveId} outcome={outcome} />}
        </li>
      ))}
    </ol>
  );
}

/** Asks a person about a suspected revert, which has no effect before an answer. */
function Question({ solveId, outcome }: { solveId: string; outcome: OutcomeView }) {
  const confirm = useConfirm(solveId);
  const answer = (isRevert: boolean) => confirm.mutate({ id: outcome.id, isRevert });
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5 rounded-md border border-accent-text/40 bg-accent-ground px-3 py-2">
      <span className="grow text-accent-text">
        Was the champion's change reverted? It does not count until you answer.
      </span>
      <Button busy={confirm.isPending} onClick={() => answer(true)}>
        It is a revert
      </Button>
      <Button busy={confirm.isPending} onClick={() => answer(false)}>
        It is not a revert
      </Button>
      {confirm.error && (
        <p role="alert" className="basis-full text-xs text-bad">
          <Hostile text={confirm.error.message} />
        </p>
      )}
    </div>
  );
}

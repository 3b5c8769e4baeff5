import type { Reader } from "@/features/trajectory/useReader";
import type { Run } from "@/features/trajectory/useRun";
import { shown } from "@/lib/hostile";
import { Button } from "@/ui/Button";
import { Banner, Failure } from "@/ui/states";

/** Notices about what is shown: an earlier attempt, an error or a missing message. */
export function Notices({ reader, facts }: { reader: Reader; facts: Run }) {
  const { trajectory, view } = reader;
  return (
    <>
      <EarlierAttempt reader={reader} facts={facts} />
      {trajectory.error && <Failure error={trajectory.error} retry={trajectory.loadEarlier} />}
      {isMissing(reader) && (
        <Banner
          tone="warn"
          action={
            <Button look="quiet" onClick={reader.toEnd}>
              Go to the end
            </Button>
          }
        >
          There is no message #{view.selected} in attempt {trajectory.attempt} yet.
        </Banner>
      )}
    </>
  );
}

function isMissing({ trajectory, view }: Reader): boolean {
  const last = trajectory.messages.at(-1)?.seq;
  if (view.selected === null || last === undefined || trajectory.hasLater) return false;
  return view.selected > last;
}

function EarlierAttempt({ reader, facts }: { reader: Reader; facts: Run }) {
  const chosen = reader.view.attempt;
  const present = facts.lane?.attempt;
  if (chosen === null || present === undefined || chosen === present) return null;
  const attempt = facts.attempts.find(({ number }) => number === chosen);
  return (
    <Banner
      tone="warn"
      action={
        <Button look="quiet" onClick={() => reader.view.look({ attempt: "", m: "" })}>
          Show the current attempt
        </Button>
      }
    >
      Earlier attempt {chosen} of {present}
      {attempt?.error ? `: ${shown(attempt.error)}` : ""}. Only its cost counts.
    </Banner>
  );
}

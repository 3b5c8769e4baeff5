import type { LaneView, QuestionView, SolveView } from "@/api/types";
import { useAnswer } from "@/features/solve/useSolve";
import { count, date } from "@/lib/format";
import { piecesOf } from "@/lib/hostile";
import { Button } from "@/ui/Button";
import { Hostile, marked } from "@/ui/Hostile";
import { Failure } from "@/ui/states";

interface Props {
  solveId: string;
  facts: SolveView;
  lanes: ReadonlyMap<string, LaneView>;
  diff: (runId: string) => void;
}

/** What only a person can decide: open questions first, then the answers so far. */
export function Questions({ solveId, facts, lanes, diff }: Props) {
  const open = facts.questions.filter(({ choice }) => choice === null);
  const answered = facts.questions.filter(({ choice }) => choice !== null);
  if (!facts.questions.length) return null;
  return (
    <section
      aria-label={open.length ? "Needs you" : "Answered questions"}
      className={`card flex min-w-0 flex-col gap-4 px-4 py-3 ${open.length ? "border-accent-text/50 bg-accent-ground" : ""}`}
    >
      {open.length > 0 && (
        <header>
          <h2 className="text-base font-semibold text-accent-text">
            <span aria-hidden>? </span>Needs you
          </h2>
          <p className="text-sm text-soft">
            Answer {open.length === 1 ? "this question" : count(open.length, "question")} before
            there can be a champion. Nothing is run again, and an answer cannot be changed.
          </p>
        </header>
      )}
      {open.map((question) => (
        <Open key={question.id} {...{ solveId, question, lanes, diff }} />
      ))}
      {answered.map((question) => (
        <Answered key={question.id} question={question} />
      ))}
    </section>
  );
}

interface OpenProps extends Pick<Props, "solveId" | "lanes" | "diff"> {
  question: QuestionView;
}

function Open({ solveId, question, lanes, diff }: OpenProps) {
  const answer = useAnswer(solveId);
  const { id, text, detail, runs, choices } = question;
  return (
    <article className="flex min-w-0 flex-col gap-2" aria-labelledby={`question-${id}`}>
      <h3
        id={`question-${id}`}
        className="min-w-0 font-semibold break-words [overflow-wrap:anywhere]"
      >
        <Hostile text={text} />
      </h3>
      {detail.trim() && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        <section aria-label="What is needed to decide" tabIndex={0} className="overflow-auto">
          <pre className="max-h-96 w-fit min-w-full rounded-md border border-line bg-panel px-3 py-2 text-xs">
            {marked(piecesOf(detail))}
          </pre>
        </section>
      )}
      {runs.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
          about
          {runs.map((runId) => (
            <Button key={runId} look="quiet" onClick={() => diff(runId)}>
              <span>
                diff of <Hostile text={lanes.get(runId)?.handle ?? runId} />
              </span>
            </Button>
          ))}
        </p>
      )}
      {answer.error && <Failure error={answer.error} />}
      <div className="flex flex-wrap gap-2">
        {choices.map((choice) => (
          <Button
            key={choice.id}
            busy={answer.isPending}
            onClick={() => answer.mutate({ id, choice: choice.id })}
          >
            <Hostile text={choice.text || choice.id} />
          </Button>
        ))}
      </div>
    </article>
  );
}

function Answered({ question }: { question: QuestionView }) {
  const { text, choice, choices, answered_by: by, answered_at: at } = question;
  const chosen = choices.find(({ id }) => id === choice);
  return (
    <p className="min-w-0 text-sm break-words text-soft [overflow-wrap:anywhere]">
      <Hostile text={text} />{" "}
      <strong className="font-semibold">
        <Hostile text={chosen?.text || choice || ""} />
      </strong>
      <span className="text-muted">
        , answered by <Hostile text={by} />
        {at !== null && ` · ${date(at)}`}
      </span>
    </p>
  );
}

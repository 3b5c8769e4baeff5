import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { ProblemError } from "@/api/problem";
import { diffAtQuery, planQuery } from "@/api/queries/runs";
import { excerpt } from "@/features/trajectory/excerpt";
import { editAt, testsAt } from "@/features/trajectory/rows";
import type { Reader } from "@/features/trajectory/useReader";
import type { Run } from "@/features/trajectory/useRun";
import { Ansi } from "@/ui/Ansi";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { Banner, Failure, Skeleton } from "@/ui/states";
import { Tabs } from "@/ui/Tabs";

export type ShowDiff = (patch: string, label: string) => ReactNode;

interface Props {
  runId: string;
  reader: Reader;
  facts: Run;
  showDiff: ShowDiff;
}

const TABS = [
  { id: "diff", name: "Diff here" },
  { id: "tests", name: "Tests here" },
  { id: "plan", name: "Plan" },
] as const;
type Side = (typeof TABS)[number]["id"];

/** The diff and the latest tests at the selected message, and the plan. */
export function SidePanel(props: Props) {
  const panel = useId();
  const { view, trajectory } = props.reader;
  const side: Side = TABS.find(({ id }) => id === view.side)?.id ?? "diff";
  const choose = (id: Side) => view.look({ side: id === "diff" ? "" : id });
  const last = trajectory.messages.at(-1)?.seq ?? 0;
  const at = Math.min(view.selected ?? last, last);
  return (
    <aside aria-label="At this point" className="flex min-h-0 min-w-0 flex-col gap-2">
      <Tabs label="At this point" tabs={TABS} chosen={side} choose={choose} panel={panel} />
      <div
        id={panel}
        role="tabpanel"
        aria-label={TABS.find(({ id }) => id === side)?.name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 grow overflow-auto"
      >
        {side === "diff" && <DiffHere {...props} at={at} />}
        {side === "tests" && <TestsHere {...props} at={at} />}
        {side === "plan" && <Plan {...props} />}
      </div>
    </aside>
  );
}

type Here = Props & { at: number };

function DiffHere({ runId, reader, facts, showDiff, at }: Here) {
  const { attempt, messages } = reader.trajectory;
  const seq = editAt(messages, at);
  const diff = useQuery({
    ...diffAtQuery(runId, attempt, seq),
    enabled: messages.length > 0,
    placeholderData: keepPreviousData,
  });
  if (!messages.length) return <Note>No messages yet.</Note>;
  if (diff.isPending) return <Skeleton rows={4} label="Loading the diff" />;
  if (diff.isError && !diff.data) return <NotYet error={diff.error} retry={diff.refetch} />;
  if (!diff.data?.patch) return <Note>No changes up to message #{at}.</Note>;
  const { edit, patch, truncated, seq: since } = diff.data;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-muted">
        State at #{at}: edit {edit}, made at{" "}
        <button
          type="button"
          onClick={() => reader.visit(since, "start")}
          className="text-second underline"
        >
          #{since}
        </button>
      </p>
      {truncated && (
        <Banner tone="warn">
          The diff was too large to store in full: only its beginning is shown.
        </Banner>
      )}
      {showDiff(patch, `${facts.lane?.handle ?? "the run"} at message ${at}`)}
    </div>
  );
}

function TestsHere({ reader, at }: Here) {
  const { messages, hasEarlier, isBusy, loadEarlier } = reader.trajectory;
  const tests = testsAt(messages, at);
  if (!tests) {
    return (
      <Note>
        {hasEarlier
          ? `No tests between #${messages[0]?.seq} and #${at}; earlier messages are not loaded.`
          : `No tests were run up to message #${at}.`}
        {hasEarlier && (
          <Button look="quiet" busy={isBusy} onClick={loadEarlier}>
            Load earlier messages
          </Button>
        )}
      </Note>
    );
  }
  const isGood = tests.exitCode === 0;
  const message = messages.find(({ seq }) => seq === tests.seq);
  return (
    <div className="flex flex-col gap-2 text-xs">
      <p className="flex flex-wrap items-center gap-2">
        <span className={isGood ? "text-good" : "text-bad"}>
          {isGood ? "✓" : "✗"} exit {tests.exitCode ?? "unknown"}
        </span>
        <button
          type="button"
          onClick={() => reader.visit(tests.seq, "start")}
          className="min-h-6 text-second underline"
        >
          #{tests.seq}
        </button>
        <span className="text-muted">the latest tests at #{at}</span>
      </p>
      <pre className="card p-2 break-words whitespace-pre-wrap">
        <span className="text-accent-text">$ </span>
        <Hostile text={endOf(tests.command)} />
      </pre>
      <pre className="card bg-ground p-2 leading-[18px] break-words whitespace-pre-wrap text-soft">
        <Ansi text={message ? excerpt(message).text : tests.output} />
      </pre>
    </div>
  );
}

const COMMAND_LINES = 6;

/** Returns the end of a long command, where the tests usually are. */
function endOf(command: string): string {
  const lines = command.trimEnd().split("\n");
  const end = lines.slice(-COMMAND_LINES).join("\n").slice(-1000);
  return lines.length > COMMAND_LINES ? `…\n${end}` : end;
}

function Plan({ runId, facts }: Props) {
  const plan = useQuery(planQuery(runId, facts.lane?.state ?? ""));
  if (plan.isPending) return <Skeleton rows={4} label="Loading the plan" />;
  if (plan.isError) return <NotYet error={plan.error} retry={plan.refetch} />;
  if (!plan.data.steps.length) return <Note>The agent made no plan.</Note>;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className={plan.data.before_first_edit ? "text-good" : "text-muted"}>
        {plan.data.before_first_edit
          ? "✓ made before the first edit"
          : "– made after the first edit"}
      </p>
      <ol className="list-decimal pl-6 text-soft marker:text-muted">
        {plan.data.steps.map((step, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps of a plan keep their places
          <li key={place} className="py-0.5 break-words">
            <Hostile text={step} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function NotYet({ error, retry }: { error: Error; retry: () => void }) {
  const isEarly = error instanceof ProblemError && error.code === "not_yet";
  return isEarly ? <Note>{error.message}</Note> : <Failure error={error} retry={retry} />;
}

function Note({ children }: { children: ReactNode }) {
  return <div className="flex flex-col items-start gap-2 py-4 text-sm text-muted">{children}</div>;
}

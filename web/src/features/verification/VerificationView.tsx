import { useQuery } from "@tanstack/react-query";
import { ProblemError } from "@/api/problem";
import { testsQuery } from "@/api/queries/runs";
import type { TestsView } from "@/api/types";
import { Baseline } from "@/features/verification/Baseline";
import {
  type Check,
  checks,
  executed,
  MEANINGS,
  type Tone,
} from "@/features/verification/evidence";
import { Findings } from "@/features/verification/Findings";
import { Logs } from "@/features/verification/Logs";
import { agreementWords, proofWords } from "@/lib/verdicts";
import { Hostile } from "@/ui/Hostile";
import { VerdictBadge } from "@/ui/StateBadge";
import { Empty, Failure, Skeleton } from "@/ui/states";

interface Props {
  runId: string;
  /** Changes with the run, so that a "not yet" response is fetched again. */
  rev: number | string;
}

/** The verification of a patch: baseline, fixed, broken, flaky, tampering, logs. */
export function VerificationView({ runId, rev }: Props) {
  const { data, error, isPending, refetch } = useQuery(testsQuery(runId, rev));
  if (isPending) return <Skeleton rows={5} label="Loading the verification" />;
  if (error) return <VerificationError error={error} retry={() => void refetch()} />;
  return (
    <section aria-label="Verification" className="flex min-w-0 flex-col gap-4">
      <Headline view={data} />
      <div className="grid min-w-0 items-start gap-4 xl:grid-cols-2">
        <Findings verdict={data.verdict} />
        <Baseline facts={data.baseline} />
      </div>
      <Logs runId={runId} rev={rev} links={data.links} />
    </section>
  );
}

function VerificationError({ error, retry }: { error: Error; retry: () => void }) {
  if (error instanceof ProblemError && error.code === "not_yet") {
    return (
      <Empty title="Not verified yet">
        <Hostile text={error.message} />
      </Empty>
    );
  }
  return <Failure error={error} retry={retry} />;
}

const GROUNDS: Record<TestsView["verdict"]["status"], string> = {
  passed: "border-good/40 bg-good-ground",
  unproved: "border-accent-text/40 bg-accent-ground",
  failed: "border-bad/40 bg-bad-ground",
  unverified: "",
  none: "",
};

function Headline({ view }: { view: TestsView }) {
  const { verdict } = view;
  return (
    <div className={`card min-w-0 p-4 ${GROUNDS[verdict.status]}`}>
      <h2 className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-base">
        <span className="font-semibold">
          <VerdictBadge status={verdict.status} />
        </span>
        <span className="text-sm text-text">{MEANINGS[verdict.status]}</span>
      </h2>
      {verdict.summary && (
        <p className="mt-1 text-sm text-soft [overflow-wrap:anywhere]">
          <Hostile text={verdict.summary} />
        </p>
      )}
      <Proof verdict={verdict} />
      <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 sm:grid-cols-4 xl:grid-cols-7">
        {checks(view).map((check) => (
          <CheckNumber key={check.name} check={check} />
        ))}
      </dl>
      <p className="mt-3 text-xs text-soft">{executed(verdict)}</p>
    </div>
  );
}

/** The kind of proof, who gave the same answer, and who was verified in its place. */
function Proof({ verdict }: { verdict: TestsView["verdict"] }) {
  const words = [proofWords(verdict), agreementWords(verdict)].filter(Boolean).join("; ");
  if (!words && !verdict.same_as) return null;
  return (
    <p className="mt-1 text-sm [overflow-wrap:anywhere]">
      {words && <span className="block first-letter:uppercase">{words}.</span>}
      {verdict.same_as && (
        <span className="block text-soft">
          Same answer as <Hostile text={verdict.same_as} />, which was verified in its place.
        </span>
      )}
    </p>
  );
}

const TONES: Record<Tone, { sign: string; colour: string }> = {
  good: { sign: "✓", colour: "text-good" },
  bad: { sign: "✗", colour: "text-bad" },
  warn: { sign: "!", colour: "text-accent-text" },
  plain: { sign: "", colour: "text-soft" },
};

function CheckNumber({ check }: { check: Check }) {
  const { sign, colour } = TONES[check.tone];
  return (
    <div className="min-w-0">
      <dt className="text-xs text-soft">{check.name}</dt>
      <dd className={`text-sm font-semibold tabular-nums ${colour}`}>
        {check.value}
        {sign && <span aria-hidden> {sign}</span>}
      </dd>
    </div>
  );
}

import { Link } from "react-router";
import { compareUrl } from "@/features/solve/outcome/decision";
import { LINK, OutcomeCard, type OutcomeProps } from "@/features/solve/outcome/OutcomeCard";
import { count } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

export function NoChampion({ solveId, solve, ranking, taken, diff }: OutcomeProps) {
  const [closest, next] = ranking.filter((entry) => entry.files_changed > 0);
  const passed = ranking.filter((entry) => entry.verdict.status === "passed").length;
  return (
    <OutcomeCard
      title={`No champion: ${passed} of ${solve.progress.total} passed`}
      actions={
        closest ? (
          <>
            <Button onClick={() => diff(closest.run_id)} aria-keyshortcuts="d">
              Diff
            </Button>
            {next && (
              <Link to={compareUrl(solveId, closest.run_id, next.run_id)} className={LINK}>
                Compare and choose manually
              </Link>
            )}
          </>
        ) : (
          <Link to="/new" className={LINK}>
            Start another solve
          </Link>
        )
      }
    >
      {closest ? (
        <p>
          <span className="text-muted">closest was </span>
          <span className="text-text">
            <Hostile text={closest.handle} />
          </span>
          : <Hostile text={closest.why} />
        </p>
      ) : (
        <>
          <p>No contestant changed a file.</p>
          <Hostile text={ranking[0]?.why || solve.reason} />
        </>
      )}
      {taken && <Hostile text={taken.words} />}
    </OutcomeCard>
  );
}

export function Failed({ solve, facts, seeSetup }: OutcomeProps) {
  return (
    <OutcomeCard
      tone="border-bad bg-bad-ground"
      title={
        <span className="text-bad">
          <span aria-hidden>✗ </span>This solve failed
        </span>
      }
      actions={<Button onClick={seeSetup}>See the setup log</Button>}
    >
      <Hostile text={facts?.error || solve.reason || "the server did not say why"} />
    </OutcomeCard>
  );
}

export function Stopped({ solve, ranking, diff }: OutcomeProps) {
  const { progress } = solve;
  const first = ranking.find((entry) => entry.files_changed > 0);
  return (
    <OutcomeCard
      title="This solve was stopped"
      actions={
        first ? (
          <Button onClick={() => diff(first.run_id)}>Diff</Button>
        ) : (
          <Link to="/new" className={LINK}>
            New solve
          </Link>
        )
      }
    >
      {progress.completed + progress.failed} of {count(progress.total, "run")} had already ended.
      {solve.reason && solve.reason !== "cancelled" && (
        <>
          {" "}
          <Hostile text={solve.reason} />
        </>
      )}
    </OutcomeCard>
  );
}

import { type Dispatch, memo, type SetStateAction, useState } from "react";
import { Link, useParams } from "react-router";
import { needsYou } from "@/api/queries/solves";
import type { LaneView, WatchedSolve } from "@/api/types";
import { ConversationView } from "@/features/conversation/ConversationView";
import { PublicationPanel } from "@/features/publication/PublicationPanel";
import { ActionDialogs, type PendingAction } from "@/features/solve/outcome/ActionDialogs";
import { takenFrom } from "@/features/solve/outcome/decision";
import { Outcome } from "@/features/solve/outcome/Outcome";
import { ConversationPanel } from "@/features/solve/panels/ConversationPanel";
import { Announcer, Upgraded } from "@/features/solve/panels/LiveNotices";
import { RunPanel } from "@/features/solve/panels/RunPanel";
import { SolveHeader } from "@/features/solve/panels/SolveHeader";
import { Questions } from "@/features/solve/questions/Questions";
import { OpenRuns } from "@/features/solve/runs/OpenRuns";
import { inWords, RunCounts } from "@/features/solve/runs/RunCounts";
import { RunLanes } from "@/features/solve/runs/RunLanes";
import { NAMES } from "@/features/solve/timeline/events";
import { Timeline } from "@/features/solve/timeline/Timeline";
import { useSolve, useSolveUrl } from "@/features/solve/useSolve";
import { useSolveKeys } from "@/features/solve/useSolveKeys";
import { TrajectoryView } from "@/features/trajectory/TrajectoryView";
import { useTitle } from "@/lib/useTitle";
import { SolveEvidence } from "@/routes/SolveEvidence";
import { StaleNotice } from "@/ui/StaleNotice";
import { Empty, Failure, Skeleton } from "@/ui/states";

export function Component() {
  const { solveId = "" } = useParams();
  // The key resets all state when another solve is opened.
  return <SolvePage key={solveId} solveId={solveId} />;
}

type Url = ReturnType<typeof useSolveUrl>;
type Loaded = ReturnType<typeof useSolve>;

function SolvePage({ solveId }: { solveId: string }) {
  const url = useSolveUrl();
  const loaded = useSolve(solveId, url.open, url.sort);
  const { watched, facts } = loaded;
  useTitle(facts.data?.issue_title ?? "Solve");
  if (watched.solve)
    return <Shown solveId={solveId} url={url} loaded={loaded} solve={watched.solve} />;
  if (watched.error?.status === 404) {
    return (
      <Empty
        page
        title="There is no such solve"
        action={
          <Link to="/" className="text-second underline">
            All solves
          </Link>
        }
      />
    );
  }
  if (watched.error) return <Failure error={watched.error} retry={watched.refetch} />;
  return <Skeleton rows={10} label="Loading the solve" />;
}

interface ShownProps {
  solveId: string;
  url: Url;
  loaded: Loaded;
  solve: WatchedSolve;
}

function Shown({ solveId, url, loaded, solve }: ShownProps) {
  const { watched, facts, ordered, ranking } = loaded;
  const [hot, heat] = useState("");
  const [pending, ask] = useState<PendingAction>(null);
  const champion = solve.champion ? watched.lanes.get(solve.champion) : undefined;
  const diff = (runId = solve.champion ?? ranking[0]?.run_id ?? "") => {
    url.setView("diff", runId);
    document.getElementById("evidence")?.scrollIntoView({ block: "start" });
  };
  const stop = useState(() => (run: LaneView) => ask({ run }))[0];
  useSolveKeys({
    solveId,
    lanes: ordered,
    hot,
    champion: solve.champion,
    stop,
    heat,
    diff,
    ...url,
  });
  return (
    <div
      className={`grid min-w-0 grid-cols-1 gap-4 ${url.talk ? "xl:grid-cols-[minmax(0,1fr)_24rem]" : ""}`}
    >
      <div className="flex min-w-0 flex-col gap-4">
        <Head {...{ solveId, url, loaded, solve, ask }} />
        {facts.data && (
          <Questions solveId={solveId} facts={facts.data} lanes={watched.lanes} diff={diff} />
        )}
        <Outcome
          solveId={solveId}
          solve={solve}
          facts={facts.data}
          ranking={ranking}
          champion={champion}
          taken={takenFrom(watched.events)}
          apply={() => ask("apply")}
          dismiss={() => ask("dismiss")}
          diff={diff}
          seeSetup={() => ordered[0] && url.show(ordered[0].id, "setup")}
        />
        {facts.data && (
          <PublicationPanel
            solveId={solveId}
            solve={solve}
            facts={facts.data}
            events={watched.events}
          />
        )}
        <RunLanes
          {...url}
          solveId={solveId}
          solve={solve}
          lanes={ordered}
          ranking={ranking}
          maxParallel={facts.data?.budget.max_parallel}
          aheadMs={watched.aheadMs}
          open={url.open.map(({ runId }) => runId)}
          hot={hot}
          heat={heat}
          stop={stop}
        />
        <OpenRuns
          open={url.open}
          lanes={watched.lanes}
          panel={(lane, { part }) => (
            <RunPanel
              solveId={solveId}
              lane={lane}
              part={part}
              isChampion={lane.id === solve.champion}
              show={url.show}
              close={url.toggle}
            >
              <Trajectory solveId={solveId} runId={lane.id} compact />
            </RunPanel>
          )}
        />
        <SolveEvidence {...{ solveId, url, loaded, solve, hot, heat, diff }} />
      </div>
      {url.talk && (
        <ConversationPanel
          solveId={solveId}
          conversationId={facts.data?.conversation_id}
          close={() => url.setTalk(false)}
          thread={(id) => <ConversationView conversationId={id} />}
        />
      )}
      <ActionDialogs {...{ solveId, solve, champion, facts: facts.data, pending, ask }} />
    </div>
  );
}

/**
 * Memoised: it subscribes to its messages itself, so a poll without new ones does not render it.
 */
const Trajectory = memo(TrajectoryView);

function Head({
  solveId,
  url,
  loaded: { watched, facts },
  solve,
  ask,
}: ShownProps & { ask: Dispatch<SetStateAction<PendingAction>> }) {
  const { error, updatedAt, failedAt, retryMs, refetch } = watched;
  return (
    <>
      {error && <StaleNotice at={updatedAt} next={failedAt + retryMs} retry={refetch} />}
      <Upgraded error={error} />
      <SolveHeader
        solveId={solveId}
        solve={solve}
        facts={facts.data}
        aheadMs={watched.aheadMs}
        isTalking={url.talk}
        talk={() => {
          url.setTalk(!url.talk);
          // On narrow screens the conversation comes last on the page.
          setTimeout(() => document.getElementById("talk")?.scrollIntoView({ block: "nearest" }));
        }}
        stop={() => ask("stop")}
      />
      <div className="flex min-w-0 flex-wrap items-end justify-between gap-x-10 gap-y-3">
        <div className="min-w-0 grow basis-96">
          <Timeline solve={solve} events={watched.events} />
        </div>
        <RunCounts progress={solve.progress} />
      </div>
      {facts.isError && <Failure error={facts.error} retry={() => void facts.refetch()} />}
      <Announcer
        text={`${needsYou(solve) ? "Needs you" : NAMES[solve.state]}: ${inWords(solve.progress)}`}
      />
    </>
  );
}

import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { GivenPatch, isGiven } from "@/features/trajectory/GivenPatch";
import { MessageList } from "@/features/trajectory/MessageList";
import { Notices } from "@/features/trajectory/Notices";
import { type ShowDiff, SidePanel } from "@/features/trajectory/SidePanel";
import { CompactTrajectoryHeader, TrajectoryHeader } from "@/features/trajectory/TrajectoryHeader";
import { TrajectoryToolbar } from "@/features/trajectory/TrajectoryToolbar";
import { useReader } from "@/features/trajectory/useReader";
import { useRun } from "@/features/trajectory/useRun";
import { useTrajectoryKeys } from "@/features/trajectory/useTrajectoryKeys";
import { shown } from "@/lib/hostile";
import { Empty, Skeleton } from "@/ui/states";

interface Props {
  solveId: string;
  runId: string;
  /** Compact view without side panels, for several runs side by side. */
  compact?: boolean;
  /** Renders a patch. With it, a side panel shows the state at the selected message. */
  showDiff?: ShowDiff;
}

/** A run's messages, live or finished. The page that renders it must poll with this run open. */
export function TrajectoryView({ solveId, runId, compact = false, showDiff }: Props) {
  const reader = useReader(solveId, runId, compact);
  const facts = useRun(solveId, runId);
  const field = useRef<HTMLInputElement>(null);
  const { notice, copy } = useCopiedLink(
    solveId,
    runId,
    reader.trajectory.attempt,
    facts.lane?.attempt,
  );
  const go = useNavigate();
  useTrajectoryKeys(!compact, {
    reader,
    facts,
    field,
    copy,
    go: (to) => go(`/solves/${solveId}/runs/${to}`),
  });
  const { select, opened } = reader;
  const acts = useMemo(
    () => ({ select, toggle: opened.toggle, copy }),
    [select, opened.toggle, copy],
  );
  const name = facts.lane ? shown(facts.lane.handle) : "the run";
  // Deferred: the messages render first and the side panel one frame later.
  const isPanelShown = useDeferredValue(Boolean(showDiff), false);
  const HeadOf = compact ? CompactTrajectoryHeader : TrajectoryHeader;
  return (
    <section
      aria-label={`Trajectory of ${name}`}
      data-testid="trajectory"
      className={compact ? "flex h-full min-h-96 min-w-0 flex-col gap-2" : PAGE}
    >
      <HeadOf solveId={solveId} runId={runId} facts={facts} reader={reader} />
      <Notices reader={reader} facts={facts} />
      {isGiven(facts) ? (
        <GivenPatch runId={runId} facts={facts} showDiff={showDiff} />
      ) : (
        <div className={showDiff ? BESIDE : "flex min-h-0 grow flex-col gap-2"}>
          <div
            className={`flex min-w-0 flex-col gap-2 ${compact ? "min-h-0 grow" : "min-h-[24rem] max-xl:h-[75dvh]"}`}
          >
            <TrajectoryToolbar reader={reader} isCompact={compact} field={field} />
            <Messages reader={reader} acts={acts} name={name} phase={facts.lane?.phase} />
          </div>
          {showDiff && isPanelShown && (
            <SidePanel runId={runId} reader={reader} facts={facts} showDiff={showDiff} />
          )}
        </div>
      )}
      <p
        role="status"
        className={
          notice
            ? "fixed bottom-4 left-4 z-50 rounded-md border border-line-strong bg-raised px-3 py-1.5 text-sm shadow-lg"
            : "sr-only"
        }
      >
        {notice}
      </p>
    </section>
  );
}

const PAGE = "flex min-w-0 flex-col gap-3 xl:h-[calc(100dvh-6rem)]";
const BESIDE =
  "grid min-h-0 min-w-0 grow gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(22rem,36%)] xl:grid-rows-1";

interface MessagesProps {
  reader: ReturnType<typeof useReader>;
  acts: Parameters<typeof MessageList>[0]["acts"];
  name: string;
  phase: string | undefined;
}

const WAITING: Record<string, string> = {
  waiting: "The run is queued. Its messages appear here automatically.",
  working: "The run's messages appear here automatically.",
  starting: "The sandbox is being set up. The run's messages appear here automatically.",
};

function Messages({ reader, acts, name, phase }: MessagesProps) {
  const { trajectory, rows, view, opened } = reader;
  if (trajectory.isLoading) return <Skeleton rows={8} label="Loading messages" />;
  if (!trajectory.messages.length) {
    return (
      <Empty title="No messages">{WAITING[phase ?? ""] ?? "The run wrote no messages."}</Empty>
    );
  }
  return (
    <MessageList
      key={trajectory.listId}
      {...reader}
      rows={rows}
      label={`Messages of ${name}`}
      selected={view.selected}
      isOpen={opened.isOpen}
      acts={acts}
    />
  );
}

function useCopiedLink(solveId: string, runId: string, attempt: number, present?: number) {
  const [notice, setNotice] = useState("");
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(""), 2000);
    return () => clearTimeout(timer);
  }, [notice]);
  const isEarlier = present !== undefined && attempt !== present;
  const copy = useCallback(
    (seq: number) => {
      const link = new URL(`/solves/${solveId}/runs/${runId}?m=${seq}`, window.location.origin);
      if (isEarlier) link.searchParams.set("attempt", String(attempt));
      navigator.clipboard.writeText(link.href).then(
        () => setNotice(`Link to message ${seq} copied`),
        () => setNotice("The browser does not allow copying"),
      );
    },
    [solveId, runId, attempt, isEarlier],
  );
  return { notice, copy };
}

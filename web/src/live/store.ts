import { create } from "zustand";
import type { EventView, LaneView, MessageView, UpdatesView, WatchedSolve } from "@/api/types";

/** The messages of one run received so far, by `seq`, without gaps. */
export interface Live {
  attempt: number;
  messages: readonly MessageView[];
}

export interface LiveSolve {
  solve: WatchedSolve | null;
  lanes: ReadonlyMap<string, LaneView>;
  events: readonly EventView[];
  live: ReadonlyMap<string, Live>;
  cursor: string;
  terminal: boolean;
  /** Milliseconds that the server's clock is ahead of the browser's. */
  aheadMs: number;
}

interface LiveSolves {
  solves: ReadonlyMap<string, LiveSolve>;
  merge: (solveId: string, update: UpdatesView, cursor: string) => void;
  prepend: (
    solveId: string,
    runId: string,
    attempt: number,
    earlier: readonly MessageView[],
  ) => void;
  /** Replaces messages with their final version: some facts are known only later. */
  refresh: (solveId: string, runId: string, attempt: number, last: readonly MessageView[]) => void;
}

export const NO_LIVE_SOLVE: LiveSolve = {
  solve: null,
  lanes: new Map(),
  events: [],
  live: new Map(),
  cursor: "",
  terminal: false,
  aheadMs: 0,
};

/** Holds live trajectories only. All other server data is in the query cache. */
export const useLiveSolves = create<LiveSolves>((set) => ({
  solves: new Map(),
  merge: (solveId, update, cursor) =>
    set(({ solves }) => {
      const liveSolve = solves.get(solveId) ?? NO_LIVE_SOLVE;
      // Another response was merged first: this one is older or was merged already.
      if (cursor !== liveSolve.cursor && !update.reset) return { solves };
      return { solves: newest(solves, solveId, merged(liveSolve, update)) };
    }),
  prepend: (solveId, runId, attempt, earlier) =>
    set(({ solves }) => ({
      solves: withLive(solves, solveId, runId, attempt, (known) => joined(earlier, known)),
    })),
  refresh: (solveId, runId, attempt, last) =>
    set(({ solves }) => ({
      solves: withLive(solves, solveId, runId, attempt, (known) => replaced(known, last)),
    })),
}));

/** Changes the messages of a run. Does nothing if the run is at another attempt. */
function withLive(
  solves: LiveSolves["solves"],
  solveId: string,
  runId: string,
  attempt: number,
  change: (known: readonly MessageView[]) => readonly MessageView[],
): LiveSolves["solves"] {
  const liveSolve = solves.get(solveId);
  const live = liveSolve?.live.get(runId);
  if (!liveSolve || live?.attempt !== attempt) return solves;
  const all = new Map(liveSolve.live).set(runId, { attempt, messages: change(live.messages) });
  return new Map(solves).set(solveId, { ...liveSolve, live: all });
}

const KEPT = 8;

/** Keeps only the solves that were updated last, because a page may stay open for days. */
function newest(
  solves: LiveSolves["solves"],
  solveId: string,
  liveSolve: LiveSolve,
): LiveSolves["solves"] {
  const kept = new Map(solves);
  kept.delete(solveId);
  kept.set(solveId, liveSolve);
  for (const id of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(id);
  }
  return kept;
}

export function merged(before: LiveSolve, update: UpdatesView): LiveSolve {
  const liveSolve = update.reset ? NO_LIVE_SOLVE : before;
  return {
    solve: update.solve ?? liveSolve.solve,
    lanes: withLanes(liveSolve.lanes, update.lanes),
    events: withEvents(liveSolve.events, update.events),
    live: withMessages(liveSolve.live, update),
    cursor: update.cursor,
    terminal: update.terminal,
    aheadMs: update.server_time * 1000 - Date.now(),
  };
}

function withLanes(before: LiveSolve["lanes"], changed: readonly LaneView[]): LiveSolve["lanes"] {
  if (!changed.length) return before;
  const lanes = new Map(before);
  for (const lane of changed) lanes.set(lane.id, lane);
  return lanes;
}

function withEvents(before: LiveSolve["events"], added: readonly EventView[]): LiveSolve["events"] {
  const last = before.at(-1)?.id ?? 0;
  const fresh = added.filter((event) => event.id > last);
  return fresh.length ? [...before, ...fresh] : before;
}

function withMessages(before: LiveSolve["live"], update: UpdatesView): LiveSolve["live"] {
  const sent = Object.entries(update.messages);
  if (!sent.length && !update.resets.length) return before;
  const all = new Map(before);
  for (const runId of update.resets) all.delete(runId);
  for (const [runId, messages] of sent) {
    const attempt = messages.at(-1)?.attempt;
    if (attempt === undefined) continue;
    const known = all.get(runId);
    const kept = known?.attempt === attempt ? known.messages : [];
    all.set(runId, { attempt, messages: joined(kept, messages) });
  }
  return all;
}

/** Joins two parts of one trajectory without repeating messages. A gap drops the first part. */
export function joined(
  one: readonly MessageView[],
  two: readonly MessageView[],
): readonly MessageView[] {
  const from = two[0]?.seq;
  const upto = one.at(-1)?.seq;
  if (from === undefined || upto === undefined) return one.length ? one : two;
  if (from > upto + 1) return two;
  const fresh = two.filter((message) => message.seq > upto);
  return fresh.length ? [...one, ...fresh] : one;
}

/** Replaces messages that were received again and appends newer ones. */
export function replaced(
  before: readonly MessageView[],
  again: readonly MessageView[],
): readonly MessageView[] {
  const bySeq = new Map(again.map((message) => [message.seq, message]));
  return joined(
    before.map((message) => bySeq.get(message.seq) ?? message),
    again,
  );
}

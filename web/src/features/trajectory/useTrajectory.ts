import { useCallback, useEffect, useRef, useState } from "react";
import { api, ask } from "@/api/client";
import type { MessageView } from "@/api/types";
import { joined, useLiveSolves } from "@/live/store";

const PAGE = 100;
const NONE: readonly MessageView[] = [];

/** Loaded messages that are not connected to the live end of the current attempt. */
interface Detached {
  of: string;
  messages: readonly MessageView[];
  isTail: boolean;
}

export interface Trajectory {
  attempt: number;
  messages: readonly MessageView[];
  /** No response has arrived yet. */
  isLoading: boolean;
  isBusy: boolean;
  error: Error | null;
  hasEarlier: boolean;
  /** Newer messages exist that are not loaded. */
  hasLater: boolean;
  /** Changes when other messages are shown, not when more are added. */
  listId: string;
  loadEarlier: () => void;
  loadLater: () => void;
  loadAll: () => void;
  goTo: (seq: number) => void;
  toTail: () => void;
}

async function page(runId: string, attempt: number, before?: number) {
  const query = { attempt, limit: PAGE, ...(before === undefined ? {} : { before }) };
  return await ask(
    api.GET("/api/runs/{run_id}/messages", { params: { path: { run_id: runId }, query } }),
  );
}

/** The polled end of a run's current attempt, and other messages loaded on request. */
export function useTrajectory(solveId: string, runId: string, chosen: number | null): Trajectory {
  const live = useLiveSolves((state) => state.solves.get(solveId)?.live.get(runId));
  const present = useLiveSolves((state) => state.solves.get(solveId)?.lanes.get(runId)?.attempt);
  const phase = useLiveSolves((state) => state.solves.get(solveId)?.lanes.get(runId)?.phase);
  const attempt = chosen ?? present ?? live?.attempt ?? 1;
  const isPresent = chosen === null || chosen === present;
  const of = `${runId}/${attempt}`;
  const [kept, setDetached] = useState<Detached | null>(null);
  const detached = kept?.of === of ? kept : null;
  const tail = isPresent && live?.attempt === attempt ? live.messages : NONE;
  const messages = detached?.messages ?? tail;
  const { isBusy, error, once } = useOnce(of);
  const [jumps, setJumps] = useState(0);

  const keep = (all: readonly MessageView[], isTail: boolean) => {
    const meets = isPresent && tail[0] && (all.at(-1)?.seq ?? -1) >= tail[0].seq - 1;
    if (meets) useLiveSolves.getState().prepend(solveId, runId, attempt, all);
    setDetached(meets ? null : { of, messages: all, isTail });
  };
  const showTail = async () => {
    if (isPresent) setDetached(null);
    else setDetached({ of, messages: (await page(runId, attempt)).messages, isTail: true });
  };
  const first = messages[0]?.seq ?? 0;
  const last = messages.at(-1)?.seq ?? -1;

  const addEarlier = (all: readonly MessageView[]) => {
    if (detached) keep(joined(all, detached.messages), detached.isTail);
    else useLiveSolves.getState().prepend(solveId, runId, attempt, all);
  };
  const loadEarlier = () =>
    once(async () => addEarlier((await page(runId, attempt, first)).messages));
  const loadLater = () =>
    once(async () => {
      const next = await between(runId, attempt, last, last + 1 + PAGE);
      keep(joined(messages, next), next.length === 0);
    });
  const loadAll = () => once(async () => addEarlier(await between(runId, attempt, -1, first)));
  const goTo = (seq: number) =>
    once(async () => {
      const around = (await page(runId, attempt, seq + PAGE / 2)).messages;
      keep(around, false);
      setJumps((n) => n + 1);
    });
  const toTail = () =>
    once(async () => {
      await showTail();
      setJumps((n) => n + 1);
    });

  const needsTail = !isPresent && !detached;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per shown attempt
  useEffect(() => {
    if (needsTail) once(showTail);
  }, [needsTail, of]);
  useFinal(solveId, runId, attempt, isPresent ? phase : undefined);
  return {
    attempt,
    messages,
    isLoading: messages.length === 0 && (needsTail || present === undefined),
    isBusy,
    error,
    hasEarlier: first > 0,
    hasLater: detached !== null && !detached.isTail,
    listId: `${of}/${jumps}`,
    loadEarlier,
    loadLater,
    loadAll,
    goTo,
    toTail,
  };
}

/** Loads all messages between two numbers, page by page, and returns them together. */
async function between(
  runId: string,
  attempt: number,
  after: number,
  upto: number,
): Promise<MessageView[]> {
  let all: MessageView[] = [];
  for (let first = upto; first > after + 1; ) {
    const loaded = (await page(runId, attempt, first)).messages;
    const newer = loaded.filter((message) => message.seq > after);
    all = [...newer, ...all];
    first = newer.length === loaded.length ? (loaded[0]?.seq ?? 0) : 0;
  }
  return all;
}

/** Runs one request at a time. Ignores an error that arrives after the view changed. */
function useOnce(of: string) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const busy = useRef("");
  const now = useRef(of);
  now.current = of;
  const once = useCallback(
    (work: () => Promise<void>) => {
      if (busy.current === of) return;
      busy.current = of;
      setBusy(true);
      setError(null);
      work()
        .catch((cause: unknown) => now.current === of && setError(cause as Error))
        .finally(() => {
          if (busy.current !== of) return;
          busy.current = "";
          setBusy(false);
        });
    },
    [of],
  );
  return { isBusy, error, once };
}

const PAGES_AGAIN = 5;

/** Replaces the live trajectory by the stored one when a watched run ends. */
function useFinal(solveId: string, runId: string, attempt: number, phase: string | undefined) {
  const wasLive = useRef("");
  useEffect(() => {
    const of = `${runId}/${attempt}`;
    if (phase === "working" || phase === "starting") wasLive.current = of;
    if (wasLive.current !== of || (phase !== "verifying" && phase !== "done")) return;
    wasLive.current = "";
    const refreshAll = async () => {
      let from: number | undefined;
      for (let pages = 0; pages < PAGES_AGAIN && from !== 0; pages += 1) {
        const { messages } = await page(runId, attempt, from);
        useLiveSolves.getState().refresh(solveId, runId, attempt, messages);
        const first =
          useLiveSolves.getState().solves.get(solveId)?.live.get(runId)?.messages[0]?.seq ?? 0;
        from = messages[0] && messages[0].seq > first ? messages[0].seq : 0;
      }
    };
    // On failure the polled messages stay: they differ only in a few marks.
    refreshAll().catch(() => undefined);
  }, [solveId, runId, attempt, phase]);
}

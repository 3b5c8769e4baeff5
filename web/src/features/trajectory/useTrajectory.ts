import { useCallback, useEffect, useRef, useState } from "react";
import { api, ask } from "@/api/client";
import type { MessageView } from "@/api/types";
import { joined, useLiveSolves } from "@/live/store";

const PAGE = 100;
const NONE: readonly MessageView[] = [];

/** A stretch that is not the live end of the present attempt. */
interface Apart {
  of: string;
  messages: readonly MessageView[];
  isTail: boolean;
}

export interface Trajectory {
  attempt: number;
  messages: readonly MessageView[];
  /** Nothing has been sent yet, not even that there is nothing. */
  isLoading: boolean;
  isBusy: boolean;
  error: Error | null;
  hasEarlier: boolean;
  /** There are newer ones that are not loaded. */
  hasLater: boolean;
  /** Changes when other messages are shown, not when more of them are. */
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

/** The end of a run's present attempt, as the poll brings it, and whatever is asked for besides. */
export function useTrajectory(solveId: string, runId: string, wanted: number | null): Trajectory {
  const live = useLiveSolves((state) => state.solves.get(solveId)?.live.get(runId));
  const present = useLiveSolves((state) => state.solves.get(solveId)?.lanes.get(runId)?.attempt);
  const phase = useLiveSolves((state) => state.solves.get(solveId)?.lanes.get(runId)?.phase);
  const attempt = wanted ?? present ?? live?.attempt ?? 1;
  const isPresent = wanted === null || wanted === present;
  const of = `${runId}/${attempt}`;
  const [kept, setApart] = useState<Apart | null>(null);
  const apart = kept?.of === of ? kept : null;
  const tail = isPresent && live?.attempt === attempt ? live.messages : NONE;
  const messages = apart?.messages ?? tail;
  const { isBusy, error, once } = useOnce(of);
  const [jumps, setJumps] = useState(0);

  const keep = (all: readonly MessageView[], isTail: boolean) => {
    const meets = isPresent && tail[0] && (all.at(-1)?.seq ?? -1) >= tail[0].seq - 1;
    if (meets) useLiveSolves.getState().prepend(solveId, runId, attempt, all);
    setApart(meets ? null : { of, messages: all, isTail });
  };
  const showTail = async () => {
    if (isPresent) setApart(null);
    else setApart({ of, messages: (await page(runId, attempt)).messages, isTail: true });
  };
  const first = messages[0]?.seq ?? 0;
  const last = messages.at(-1)?.seq ?? -1;

  const addEarlier = (all: readonly MessageView[]) => {
    if (apart) keep(joined(all, apart.messages), apart.isTail);
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

  const needsTail = !isPresent && !apart;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each attempt that is looked at
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
    hasLater: apart !== null && !apart.isTail,
    listId: `${of}/${jumps}`,
    loadEarlier,
    loadLater,
    loadAll,
    goTo,
    toTail,
  };
}

/** Everything after one message and before another: page after page, put in at once. */
async function between(
  runId: string,
  attempt: number,
  after: number,
  upto: number,
): Promise<MessageView[]> {
  let all: MessageView[] = [];
  for (let first = upto; first > after + 1; ) {
    const found = (await page(runId, attempt, first)).messages;
    const wanted = found.filter((message) => message.seq > after);
    all = [...wanted, ...all];
    first = wanted.length === found.length ? (found[0]?.seq ?? 0) : 0;
  }
  return all;
}

/** One thing at a time; what is answered after the view shows something else is let go. */
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

/** When a run that was watched has ended, its trajectory as it is stored takes the live one's place. */
function useFinal(solveId: string, runId: string, attempt: number, phase: string | undefined) {
  const wasLive = useRef("");
  useEffect(() => {
    const of = `${runId}/${attempt}`;
    if (phase === "working" || phase === "starting") wasLive.current = of;
    if (wasLive.current !== of || (phase !== "verifying" && phase !== "done")) return;
    wasLive.current = "";
    const again = async () => {
      let from: number | undefined;
      for (let pages = 0; pages < PAGES_AGAIN && from !== 0; pages += 1) {
        const { messages } = await page(runId, attempt, from);
        useLiveSolves.getState().refresh(solveId, runId, attempt, messages);
        const first =
          useLiveSolves.getState().solves.get(solveId)?.live.get(runId)?.messages[0]?.seq ?? 0;
        from = messages[0] && messages[0].seq > first ? messages[0].seq : 0;
      }
    };
    // What the poll brought stays when this fails: it is the same but for a few marks.
    again().catch(() => undefined);
  }, [solveId, runId, attempt, phase]);
}

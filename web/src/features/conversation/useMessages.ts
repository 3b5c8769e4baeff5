import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { chatKeys, joined, messages, post } from "@/api/queries/conversations";
import { solveKeys } from "@/api/queries/solves";
import type { ChatMessage } from "@/api/types";

const POLL_MS = 2000;

export interface Thread {
  messages: readonly ChatMessage[];
  /** The server's cursors for newer and older messages. */
  after: string;
  before: string | null;
}

/** Polls new messages every two seconds. Older messages are loaded on request. */
export function useMessages(id: string) {
  const client = useQueryClient();
  const queryKey = chatKeys.messages(id);
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => newer(id, client.getQueryData<Thread>(queryKey), signal),
    refetchInterval: POLL_MS,
    structuralSharing: false,
  });
  const send = useMutation({
    mutationFn: (text: string) => post(id, text),
    onSuccess: async (posted) => {
      await client.refetchQueries({ queryKey });
      if (posted.solve_id) void client.invalidateQueries({ queryKey: solveKeys.all });
    },
  });
  const earlier = useMutation({ mutationFn: () => older(client, id) });
  return { query, send, earlier };
}

async function newer(id: string, known: Thread | undefined, signal: AbortSignal): Promise<Thread> {
  let thread = known;
  for (;;) {
    const page = await messages(id, thread ? { after: thread.after } : {}, signal);
    const isNew = !thread || page.reset;
    thread = {
      messages: isNew ? page.messages : joined(thread?.messages ?? [], page.messages),
      after: page.after,
      before: isNew ? page.before : (thread?.before ?? null),
    };
    if (isNew || !page.more) return thread;
  }
}

async function older(client: QueryClient, id: string): Promise<void> {
  const queryKey = chatKeys.messages(id);
  const before = client.getQueryData<Thread>(queryKey)?.before;
  if (!before) return;
  const page = await messages(id, { before });
  client.setQueryData<Thread>(
    queryKey,
    (thread) =>
      thread && {
        ...thread,
        messages: joined(page.messages, thread.messages),
        before: page.before,
      },
  );
}

/** The last message is a question without a reply. */
export function isWaiting(thread: readonly ChatMessage[]): boolean {
  const last = thread.at(-1);
  return last?.role === "user" && !last.text.trimStart().startsWith("/");
}

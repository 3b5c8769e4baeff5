import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { chatKeys, joined, messages, post } from "@/api/queries/conversations";
import { solveKeys } from "@/api/queries/solves";
import type { ChatMessage } from "@/api/types";

const POLL_MS = 2000;

export interface Said {
  messages: readonly ChatMessage[];
  /** Cursors of the server: what is newer, what is older. */
  after: string;
  before: string | null;
}

/** What was said so far, asked for every two seconds from where we are; older ones on demand. */
export function useMessages(id: string) {
  const client = useQueryClient();
  const queryKey = chatKeys.messages(id);
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => newer(id, client.getQueryData<Said>(queryKey), signal),
    refetchInterval: POLL_MS,
    structuralSharing: false,
  });
  const say = useMutation({
    mutationFn: (text: string) => post(id, text),
    onSuccess: async (posted) => {
      await client.refetchQueries({ queryKey });
      if (posted.solve_id) void client.invalidateQueries({ queryKey: solveKeys.all });
    },
  });
  const earlier = useMutation({ mutationFn: () => older(client, id) });
  return { query, say, earlier };
}

async function newer(id: string, had: Said | undefined, signal: AbortSignal): Promise<Said> {
  let said = had;
  for (;;) {
    const page = await messages(id, said ? { after: said.after } : {}, signal);
    const isNew = !said || page.reset;
    said = {
      messages: isNew ? page.messages : joined(said?.messages ?? [], page.messages),
      after: page.after,
      before: isNew ? page.before : (said?.before ?? null),
    };
    if (isNew || !page.more) return said;
  }
}

async function older(client: QueryClient, id: string): Promise<void> {
  const queryKey = chatKeys.messages(id);
  const before = client.getQueryData<Said>(queryKey)?.before;
  if (!before) return;
  const page = await messages(id, { before });
  client.setQueryData<Said>(
    queryKey,
    (said) =>
      said && { ...said, messages: joined(page.messages, said.messages), before: page.before },
  );
}

/** Somebody asked, and no answer has come yet. */
export function isWaiting(said: readonly ChatMessage[]): boolean {
  const last = said.at(-1);
  return last?.role === "user" && !last.text.trimStart().startsWith("/");
}

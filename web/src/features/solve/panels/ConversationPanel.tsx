import type { ReactNode } from "react";
import { useStartConversation } from "@/features/solve/useSolve";
import { Button } from "@/ui/Button";
import { Failure } from "@/ui/states";

interface Props {
  solveId: string;
  conversationId: string | null | undefined;
  close: () => void;
  /** Renders the conversation. Passed in, because features do not import each other. */
  thread: (conversationId: string) => ReactNode;
}

/** The conversation beside the lanes, or a button that starts one. */
export function ConversationPanel({ solveId, conversationId, close, thread }: Props) {
  return (
    <aside
      id="talk"
      aria-label="Conversation"
      className="card flex min-w-0 flex-col xl:sticky xl:top-16 xl:max-h-[calc(100dvh-5rem)] xl:self-start"
    >
      <div className="flex items-center justify-between border-b border-line px-3 py-1">
        <h2 className="text-sm font-semibold">Conversation</h2>
        <Button look="quiet" className="px-2" aria-label="Close the conversation" onClick={close}>
          ×
        </Button>
      </div>
      <div className="relative flex min-h-0 grow flex-col overflow-auto p-3">
        {conversationId ? thread(conversationId) : <StartConversation solveId={solveId} />}
      </div>
    </aside>
  );
}

function StartConversation({ solveId }: { solveId: string }) {
  const talk = useStartConversation(solveId);
  return (
    <div className="flex flex-col items-center gap-3 px-3 py-6 text-center text-sm text-soft">
      <p>Ask about this solve, or start another one from what you learned.</p>
      <Button look="primary" busy={talk.isPending} onClick={() => talk.mutate("")}>
        Start a conversation
      </Button>
      {talk.error && <Failure error={talk.error} />}
    </div>
  );
}

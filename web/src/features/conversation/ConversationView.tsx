import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { MessageRow } from "@/features/conversation/MessageRow";
import { isWaiting, useMessages } from "@/features/conversation/useMessages";
import { Button } from "@/ui/Button";
import { CONTROL } from "@/ui/Field";
import { StaleNotice } from "@/ui/StaleNotice";
import { Failure, Skeleton } from "@/ui/states";

const NEAR_PX = 80;

interface Props {
  conversationId: string;
}

/** The messages of a conversation, newest last, and a field for a new message. */
export function ConversationView({ conversationId }: Props) {
  const { query, send, earlier } = useMessages(conversationId);
  const messages = query.data?.messages ?? [];
  const list = useTail(messages.at(-1)?.id);
  if (query.isPending) return <Skeleton rows={4} />;
  if (query.isError && !query.data) {
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  }
  return (
    <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-col gap-3">
      {query.isError && <StaleNotice at={query.dataUpdatedAt} retry={query.refetch} />}
      <div
        ref={list}
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="flex max-h-[60dvh] min-h-24 flex-col gap-2 overflow-y-auto"
      >
        {query.data?.before && (
          <Button look="quiet" busy={earlier.isPending} onClick={() => earlier.mutate()}>
            Show earlier messages
          </Button>
        )}
        {messages.length === 0 && (
          <p className="text-sm text-muted">
            No messages yet. Ask about a solve, or start one: <code>/solve #12</code>
          </p>
        )}
        {messages.map((message) => (
          <MessageRow key={message.id} message={message} />
        ))}
        {isWaiting(messages) && <p className="text-xs text-muted">waiting for an answer …</p>}
      </div>
      <MessageForm send={(text) => send.mutateAsync(text)} />
      {send.isError && <Failure error={send.error} />}
    </section>
  );
}

/** Scrolls to new messages, unless the person has scrolled up. */
function useTail(newest: number | undefined) {
  const list = useRef<HTMLDivElement>(null);
  const seen = useRef<number | undefined>(undefined);
  useEffect(() => {
    const container = list.current;
    if (!container || newest === undefined) return;
    const isFirst = seen.current === undefined;
    const last = container.lastElementChild?.getBoundingClientRect().height ?? 0;
    const isNear =
      container.scrollHeight - container.scrollTop - container.clientHeight < NEAR_PX + last;
    if (isFirst || (isNear && seen.current !== newest))
      container.scrollTop = container.scrollHeight;
    seen.current = newest;
  }, [newest]);
  return list;
}

function MessageForm({ send }: { send: (text: string) => Promise<unknown> }) {
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!text.trim() || isBusy) return;
    setBusy(true);
    try {
      await send(text);
      setText("");
    } catch {
      // The error is shown below the field, and the text stays.
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} className="flex items-end gap-2">
      <textarea
        aria-label="Message"
        rows={2}
        maxLength={20_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            void submit(event);
          }
        }}
        placeholder="Ask, or /solve #12 model=gpt-4.1 budget=2.50"
        className={`${CONTROL} resize-y`}
      />
      <Button type="submit" look="primary" busy={isBusy} disabled={!text.trim()}>
        Send
      </Button>
    </form>
  );
}

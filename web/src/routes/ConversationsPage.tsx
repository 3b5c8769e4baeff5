import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { conversationsQuery } from "@/api/queries/conversations";
import { NewConversation } from "@/features/conversation/NewConversation";
import { age, date } from "@/lib/format";
import { useNow } from "@/lib/useNow";
import { useTitle } from "@/lib/useTitle";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { Empty, Failure, Skeleton } from "@/ui/states";

export function Component() {
  useTitle("Conversations");
  const query = useInfiniteQuery(conversationsQuery());
  const now = useNow(30_000) / 1000;
  const all = query.data?.pages.flatMap((page) => page.conversations) ?? [];
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-lg font-semibold">Conversations</h1>
      <NewConversation />
      {query.isPending && <Skeleton rows={4} />}
      {query.isError && !query.data && (
        <Failure error={query.error} retry={() => void query.refetch()} />
      )}
      {query.isSuccess && all.length === 0 && (
        <Empty title="No conversations yet">
          Start one above. Solves that you start in a conversation post their milestones to it.
        </Empty>
      )}
      <ul className="flex flex-col gap-2">
        {all.map((conversation, at) => (
          <li
            key={conversation.id}
            className="card-live enter"
            style={{ "--place": at } as React.CSSProperties}
          >
            <Link
              to={`/conversations/${conversation.id}`}
              className="flex flex-wrap items-baseline gap-x-4 px-4 py-2.5"
            >
              <span className="min-w-0 grow truncate font-medium">
                <Hostile text={conversation.title || "Untitled"} />
              </span>
              <span className="truncate text-xs text-muted">
                <Hostile text={conversation.repo_path || conversation.repo_url} />
              </span>
              <time className="text-xs text-soft" title={date(conversation.created_at)}>
                {age(now - conversation.created_at)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button
          className="self-center"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older conversations
        </Button>
      )}
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { conversationQuery } from "@/api/queries/conversations";
import { ConversationView } from "@/features/conversation/ConversationView";
import { money } from "@/lib/format";
import { useTitle } from "@/lib/useTitle";
import { Hostile } from "@/ui/Hostile";
import { StateBadge } from "@/ui/StateBadge";
import { Failure, Skeleton } from "@/ui/states";

export function Component() {
  const { conversationId = "" } = useParams();
  const query = useQuery(conversationQuery(conversationId));
  useTitle(query.data?.title || "Conversation");
  if (query.isPending) return <Skeleton rows={5} />;
  if (query.isError && !query.data) {
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  }
  const { title, repo_path, repo_url, solves } = query.data;
  return (
    <div className="flex flex-col gap-4">
      <header>
        <nav aria-label="Breadcrumb" className="text-xs text-muted">
          <Link to="/conversations" className="underline">
            Conversations
          </Link>
        </nav>
        <h1 className="text-lg font-semibold break-words">
          <Hostile text={title || "Untitled"} />
        </h1>
        <p className="text-xs break-all text-muted">
          <Hostile text={repo_path || repo_url} />
        </p>
      </header>
      <div className="grid min-w-0 gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <ConversationView conversationId={conversationId} />
        <aside aria-label="Solves" className="flex min-w-0 flex-col gap-2">
          <h2 className="text-sm text-soft">Solves</h2>
          {solves.length === 0 && (
            <p className="text-sm text-muted">
              None yet. Send <code>/solve #12</code>, or <code>/solve</code> followed by the issue
              in your own words.
            </p>
          )}
          <ul className="flex flex-col gap-2">
            {solves.map((solve) => (
              <li key={solve.id} className="card-live">
                <Link to={`/solves/${solve.id}`} className="flex flex-col gap-1 px-3 py-2 text-sm">
                  <span className="truncate">
                    <Hostile text={solve.issue} />
                  </span>
                  <span className="flex justify-between gap-2 text-xs">
                    <StateBadge state={solve.state} />
                    <span className="tabular-nums text-muted">{money(solve.cost_usd)}</span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </aside>
      </div>
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import { sandboxesQuery } from "@/api/queries/sandboxes";
import { Leftovers } from "@/features/sandboxes/Leftovers";
import { SandboxTable } from "@/features/sandboxes/SandboxTable";
import { count } from "@/lib/format";
import { StaleNotice } from "@/ui/StaleNotice";
import { Failure, Skeleton } from "@/ui/states";

/** Open sandboxes at providers and in containers, and those of dead processes. */
export function OpenSandboxes() {
  const query = useQuery(sandboxesQuery());
  const leftBehind = query.data?.filter((sandbox) => !sandbox.held).length ?? 0;
  return (
    <section aria-labelledby="open" className="card flex min-w-0 flex-col gap-3 p-4">
      <header className="flex flex-wrap items-baseline gap-x-3">
        <h2 id="open" className="font-semibold">
          Open now
        </h2>
        {query.data && query.data.length > 0 && (
          <p className="text-sm text-muted">
            {count(query.data.length, "sandbox", "sandboxes")}
            {leftBehind > 0 && <span className="text-bad">, {leftBehind} left behind</span>}
          </p>
        )}
      </header>
      {query.isPending && <Skeleton rows={3} />}
      {query.isError && !query.data && (
        <Failure error={query.error} retry={() => void query.refetch()} />
      )}
      {query.isError && query.data && (
        <StaleNotice at={query.dataUpdatedAt} retry={query.refetch} />
      )}
      {query.data?.length === 0 && (
        <p className="text-sm text-soft">
          No sandbox is open in a container or at a provider. bubblewrap sandboxes and plain
          processes are not listed, because they end with their process.
        </p>
      )}
      {query.data && query.data.length > 0 && <SandboxTable sandboxes={query.data} />}
      <Leftovers />
    </section>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { BACKENDS } from "@/api/choices";
import { basesQuery } from "@/api/queries/sandboxes";
import type { BaseList, BaseView } from "@/api/types";
import { BaseTable } from "@/features/sandboxes/BaseTable";
import { RemoveBase } from "@/features/sandboxes/RemoveBase";
import { bytes, count } from "@/lib/format";
import { CONTROL } from "@/ui/Field";
import { StaleNotice } from "@/ui/StaleNotice";
import { Failure, Skeleton } from "@/ui/states";

/**
 * Prepared bases, which sandboxes start from. Built once and removed after a long time without use.
 */
export function Bases() {
  const [params, setParams] = useSearchParams();
  const backend = BACKENDS.find((name) => name === params.get("backend")) ?? null;
  const query = useQuery(basesQuery(backend));
  const [removing, remove] = useState<BaseView | null>(null);
  const choose = (name: string) => setParams(name ? { backend: name } : {}, { replace: true });
  return (
    <section aria-labelledby="bases" className="card flex min-w-0 flex-col gap-3 p-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 id="bases" className="font-semibold">
          Prepared bases
        </h2>
        {query.data && <p className="text-sm text-muted">{totalWords(query.data)}</p>}
        <label className="flex items-center gap-2 text-sm text-soft sm:ml-auto">
          Backend
          <select
            value={backend ?? ""}
            onChange={(event) => choose(event.target.value)}
            className={CONTROL}
          >
            <option value="">the one in use</option>
            {BACKENDS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </header>
      {query.isPending && <Skeleton rows={3} />}
      {query.isError && !query.data && (
        <Failure error={query.error} retry={() => void query.refetch()} />
      )}
      {query.isError && query.data && (
        <StaleNotice at={query.dataUpdatedAt} retry={query.refetch} />
      )}
      {query.data?.bases.length === 0 && (
        <p className="text-sm text-soft">
          None yet. The first solve of a repository prepares one: its files at a commit, with what
          set-up installs. All its sandboxes start from that base.
        </p>
      )}
      {query.data && query.data.bases.length > 0 && (
        <BaseTable bases={query.data.bases} remove={remove} />
      )}
      {removing && <RemoveBase base={removing} close={() => remove(null)} />}
    </section>
  );
}

/** Number and total size of the bases; a lower bound if a size is unknown. */
export function totalWords({ bases, total_bytes }: BaseList): string {
  if (bases.length === 0) return "";
  const isCertain = bases.every((base) => base.size_bytes !== null);
  return `${count(bases.length, "base")}, ${isCertain ? "" : "at least "}${bytes(total_bytes)} in total`;
}

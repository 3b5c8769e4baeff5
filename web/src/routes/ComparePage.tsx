import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { isActive, solveQuery } from "@/api/queries/solves";
import { CompareView } from "@/features/compare/CompareView";
import { FileDiff } from "@/features/diff/FileDiff";
import type { PatchFile } from "@/lib/patch/types";
import { useTitle } from "@/lib/useTitle";
import { Hostile } from "@/ui/Hostile";
import { Failure, Skeleton } from "@/ui/states";

const POLL_MS = 2000;

export function Component() {
  const { solveId = "" } = useParams();
  const { data, error, refetch } = useQuery({
    ...solveQuery(solveId),
    refetchInterval: ({ state }) =>
      state.data && isActive(state.data.solve.state) ? POLL_MS : false,
  });
  useTitle(data ? `Compare · ${data.issue_title}` : "Compare");
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="min-w-0">
        <h1 className="text-lg font-semibold">Compare</h1>
        <p className="text-sm text-soft [overflow-wrap:anywhere]">
          <Link to={`/solves/${solveId}`} className="text-second underline">
            {data ? <Hostile text={data.issue_title} /> : "The solve"}
          </Link>
        </p>
      </div>
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {!error && !data && <Skeleton rows={6} label="Loading the solve" />}
      {data && <CompareView view={data} file={oneFile} />}
    </div>
  );
}

function oneFile(file: PatchFile, lead: ReactNode, isLazy: boolean) {
  return <FileDiff file={file} layout="unified" lead={lead} isLazy={isLazy} />;
}

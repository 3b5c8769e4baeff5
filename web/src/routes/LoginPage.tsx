import { useQuery } from "@tanstack/react-query";
import { Navigate, useSearchParams } from "react-router";
import { meQuery } from "@/api/queries/me";
import { SignIn } from "@/features/account/SignIn";
import { ownPath, savedReturnPath } from "@/lib/returnPath";
import { useTitle } from "@/lib/useTitle";
import { Failure, Skeleton } from "@/ui/states";

export function Component() {
  useTitle("Sign in");
  const [params] = useSearchParams();
  const query = useQuery(meQuery());
  const problem = params.get("problem");
  // The forge's redirect contains the problem, but not the return path.
  const wanted = problem === null ? ownPath(params.get("return_to")) : savedReturnPath();
  if (query.data && !query.data.needs_login) return <Navigate to={wanted} replace />;
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-xl flex-col justify-center gap-4 p-4">
      {query.isPending && <Skeleton rows={6} />}
      {query.isError && !query.data && (
        <Failure error={query.error} retry={() => void query.refetch()} />
      )}
      {query.data && <SignIn forge={query.data.forge_url} wanted={wanted} problem={problem} />}
    </main>
  );
}

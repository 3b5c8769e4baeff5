import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Navigate, useLocation } from "react-router";
import { meQuery } from "@/api/queries/me";
import { loginPath } from "@/lib/returnPath";
import { Failure, Skeleton } from "@/ui/states";

/** Renders children once the current user is known; redirects signed-out persons to the login. */
export function RequireLogin({ children }: { children: ReactNode }) {
  const query = useQuery(meQuery());
  const { pathname, search, hash } = useLocation();
  if (query.data?.needs_login) {
    return <Navigate to={loginPath(`${pathname}${search}${hash}`)} replace />;
  }
  if (query.data) return children;
  return (
    <main className="mx-auto w-full max-w-[120rem] p-4">
      {query.isError ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Skeleton rows={8} />
      )}
    </main>
  );
}

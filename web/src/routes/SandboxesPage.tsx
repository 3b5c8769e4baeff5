import { useQuery } from "@tanstack/react-query";
import { mayAdminister, useMe } from "@/api/queries/me";
import { isForbidden, sandboxesQuery } from "@/api/queries/sandboxes";
import { Bases } from "@/features/sandboxes/Bases";
import { OpenSandboxes } from "@/features/sandboxes/OpenSandboxes";
import { useTitle } from "@/lib/useTitle";

export function Component() {
  useTitle("Sandboxes");
  const isAdmin = mayAdminister(useMe());
  const query = useQuery({ ...sandboxesQuery(), enabled: isAdmin });
  const isOpen = isAdmin && !isForbidden(query.error);
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-lg font-semibold">Sandboxes</h1>
      {isOpen ? (
        <>
          <OpenSandboxes />
          <Bases />
        </>
      ) : (
        <p className="card p-4 text-sm text-muted">
          Only administrators of this installation can see sandboxes and prepared bases.
        </p>
      )}
    </div>
  );
}

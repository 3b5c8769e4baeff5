import { mayAdminister, useMe } from "@/api/queries/me";
import { DemoButton } from "@/features/new-solve/form/DemoButton";
import { NewSolveForm } from "@/features/new-solve/form/NewSolveForm";
import { useTitle } from "@/lib/useTitle";

export function Component() {
  useTitle("New solve");
  const me = useMe();
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h1 className="text-xl font-semibold">New solve</h1>
        {mayAdminister(me) && <DemoButton />}
      </div>
      <NewSolveForm />
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "@/api/queries/installation";
import { mayAdminister, useMe } from "@/api/queries/me";
import { ApiKeys } from "@/features/account/ApiKeys";
import { LoginList } from "@/features/account/LoginList";
import { Appearance } from "@/features/settings/Appearance";
import { DoctorReport } from "@/features/settings/DoctorReport";
import { Keys, Limits, Place } from "@/features/settings/Installation";
import { Models } from "@/features/settings/Models";
import { useTitle } from "@/lib/useTitle";
import { Failure, Skeleton } from "@/ui/states";

export function Component() {
  useTitle("Settings");
  const me = useMe();
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-lg font-semibold">Settings</h1>
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Appearance />
          {me.mode === "github" && (
            <div id="access" className="flex min-w-0 scroll-mt-16 flex-col gap-4">
              <ApiKeys />
              <LoginList />
            </div>
          )}
          {me.mode === "local" && <Models />}
          {mayAdminister(me) && <DoctorReport />}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {me.mode === "github" && <Models />}
          {mayAdminister(me) ? <Installation mode={me.mode} /> : <AdministratorsOnly />}
        </div>
      </div>
    </div>
  );
}

function Installation({ mode }: { mode: string }) {
  const query = useQuery(settingsQuery());
  if (query.isPending) return <Skeleton rows={8} />;
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <Place settings={query.data} mode={mode} />
      <Keys keys={query.data.keys} />
      <Limits limits={query.data.limits} />
    </>
  );
}

function AdministratorsOnly() {
  return (
    <p className="card p-4 text-sm text-muted">
      Only administrators of this installation can see limits, model keys and the machine.
    </p>
  );
}

import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "@/api/queries/installation";
import { Keys, Limits, Place } from "@/features/settings/Installation";
import { Look } from "@/features/settings/Look";
import { Machine } from "@/features/settings/Machine";
import { Models } from "@/features/settings/Models";
import { useTitle } from "@/lib/title";
import { Failure, Skeleton } from "@/ui/states";

export function Component() {
  useTitle("Settings");
  const query = useQuery(settingsQuery());
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-lg font-semibold">Settings</h1>
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Look />
          <Models />
          <Machine />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {query.isPending && <Skeleton rows={8} />}
          {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
          {query.data && (
            <>
              <Place settings={query.data} />
              <Keys keys={query.data.keys} />
              <Limits limits={query.data.limits} />
            </>
          )}
        </div>
      </div>
    </div>
  );
}

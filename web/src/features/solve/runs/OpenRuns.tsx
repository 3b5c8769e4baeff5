import { type ReactNode, useState } from "react";
import type { LaneView } from "@/api/types";
import { type Opened, sharedEnd } from "@/features/solve/runs/order";
import { shown } from "@/lib/hostile";
import { useMedia } from "@/lib/useMedia";
import { Tabs } from "@/ui/Tabs";

interface Props {
  open: readonly Opened[];
  lanes: ReadonlyMap<string, LaneView>;
  panel: (lane: LaneView, opened: Opened) => ReactNode;
}

/** Up to four runs: side by side, in one column on narrow screens, as tabs on small ones. */
export function OpenRuns({ open, lanes, panel }: Props) {
  const isSmall = useMedia("(max-width: 767px)");
  const known = open.flatMap((opened) => {
    const lane = lanes.get(opened.runId);
    return lane ? [{ opened, lane }] : [];
  });
  const shared = sharedEnd(known.map(({ lane }) => lane.handle));
  const [chosen, choose] = useState("");
  if (!known.length) return null;
  // The run that was opened last is shown by default.
  const current = known.find(({ lane }) => lane.id === chosen) ?? known.at(-1);
  const visible = isSmall ? known.filter((item) => item === current) : known;
  return (
    <section aria-label="Open runs" className="flex min-w-0 flex-col gap-2">
      <h2 className="sr-only">Open runs</h2>
      {isSmall && known.length > 1 && current && (
        <Tabs
          label="Open runs"
          tabs={known.map(({ lane }) => ({
            id: lane.id,
            name: shown(lane.handle.slice(0, lane.handle.length - shared)),
          }))}
          chosen={current.lane.id}
          choose={choose}
        />
      )}
      <div className="grid min-w-0 grid-cols-1 gap-3 xl:grid-cols-[repeat(auto-fit,minmax(27rem,1fr))]">
        {visible.map(({ opened, lane }) => (
          <div key={lane.id} className="min-w-0">
            {panel(lane, opened)}
          </div>
        ))}
      </div>
    </section>
  );
}

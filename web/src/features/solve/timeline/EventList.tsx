import { useState } from "react";
import type { EventView, LaneView } from "@/api/types";
import { eventFacts, eventWords } from "@/features/solve/timeline/events";
import { clock, count, date } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

const FIRST = 200;

interface Props {
  events: readonly EventView[];
  lanes: ReadonlyMap<string, LaneView>;
}

/** All events, newest first. */
export function EventList({ events, lanes }: Props) {
  const [most, setMost] = useState(FIRST);
  const newest = events.slice(-most).reverse();
  const remaining = events.length - newest.length;
  return (
    <div className="card min-w-0 px-3 py-2">
      <ol aria-label="Events" className="flex flex-col gap-1 text-xs">
        {newest.map((event) => (
          <li key={event.id} className="flex min-w-0 flex-wrap gap-x-3">
            <time
              dateTime={new Date(event.at * 1000).toISOString()}
              title={date(event.at)}
              className="text-muted tabular-nums"
            >
              {clock(event.at)}
            </time>
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {event.run_id && (
                <span className="text-soft">
                  <Hostile text={lanes.get(event.run_id)?.handle ?? event.run_id} />{" "}
                </span>
              )}
              {eventWords(event.kind)}
              <span className="text-muted">
                {" "}
                <Hostile text={eventFacts(event)} />
              </span>
            </span>
          </li>
        ))}
      </ol>
      {remaining > 0 && (
        <Button look="quiet" className="mt-2" onClick={() => setMost(most + FIRST)}>
          Show {count(remaining, "earlier event")}
        </Button>
      )}
    </div>
  );
}

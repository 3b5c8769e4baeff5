import { type ReactNode, useRef } from "react";
import { type Acts, MessageRow } from "@/features/trajectory/MessageRow";
import type { Row } from "@/features/trajectory/rows";
import { EDGE_PX, type Goal, useMessageList } from "@/features/trajectory/useMessageList";
import type { Trajectory } from "@/features/trajectory/useTrajectory";
import { Button } from "@/ui/Button";
import { useHighlight } from "@/ui/highlight";

interface Props {
  rows: readonly Row[];
  trajectory: Trajectory;
  label: string;
  goal: Goal | null;
  isFollowing: boolean;
  follow: (isOn: boolean) => void;
  selected: number | null;
  isOpen: (seq: number) => boolean;
  acts: Acts;
  query: string;
  /** Messages above this number arrived while the end was not visible. */
  seen: number;
  /** Number of messages that arrived since. */
  fresh: number;
  toEnd: () => void;
}

/** The messages as a feed. Only visible rows are rendered. */
export function MessageList(props: Props) {
  const { rows, trajectory, selected, isOpen, acts, seen, isFollowing } = props;
  const container = useRef<HTMLElement>(null);
  const list = useMessageList({ ...props, ...trajectory, container });
  const shown = list.getVirtualItems();
  useHighlight(container, props.query, `${shown[0]?.index}-${shown.at(-1)?.index}-${rows.length}`);
  return (
    <div className="relative min-h-0 grow">
      <section
        ref={container}
        role="feed"
        aria-label={props.label}
        aria-busy={trajectory.isBusy}
        data-testid="messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="absolute inset-0 overflow-y-auto overscroll-contain rounded-md [overflow-anchor:none]"
      >
        <div className="relative" style={{ height: list.getTotalSize() }}>
          <Edge isOn={trajectory.hasEarlier} place="top-0">
            <EarlierButtons trajectory={trajectory} />
          </Edge>
          <div
            className="absolute inset-x-0"
            style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}
          >
            {shown.map(({ index, key }) => {
              const row = rows[index];
              if (!row) return null;
              const { seq } = row.message;
              return (
                <MessageRow
                  key={key}
                  {...row}
                  index={index}
                  measure={list.measureElement}
                  isOpen={isOpen(seq)}
                  isSelected={seq === selected}
                  isFresh={!isFollowing && seq > seen}
                  acts={acts}
                />
              );
            })}
          </div>
          <Edge isOn={trajectory.hasLater} place="bottom-0">
            <Button look="quiet" busy={trajectory.isBusy} onClick={trajectory.loadLater}>
              Load later messages
            </Button>
          </Edge>
        </div>
      </section>
      <New {...props} />
    </div>
  );
}

function Edge({ isOn, place, children }: { isOn: boolean; place: string; children: ReactNode }) {
  if (!isOn) return null;
  return (
    <div
      className={`absolute inset-x-0 flex items-center justify-center gap-2 ${place}`}
      style={{ height: EDGE_PX }}
    >
      {children}
    </div>
  );
}

function EarlierButtons({ trajectory }: { trajectory: Trajectory }) {
  const { isBusy, loadEarlier, loadAll, messages } = trajectory;
  return (
    <>
      <Button look="quiet" busy={isBusy} onClick={loadEarlier}>
        Load earlier messages
      </Button>
      <Button look="quiet" disabled={isBusy} onClick={loadAll}>
        Load all {messages[0]?.seq ?? ""}
      </Button>
    </>
  );
}

function New({ isFollowing, fresh, toEnd, trajectory }: Props) {
  const isAway = trajectory.hasLater || (!isFollowing && fresh > 0);
  if (!isAway) return null;
  return (
    <button
      type="button"
      onClick={toEnd}
      className="absolute right-4 bottom-3 min-h-8 rounded-full border border-second bg-second-ground px-3 text-sm text-second shadow-lg"
    >
      {fresh > 0 ? `${fresh.toLocaleString("en-US")} new ↓` : "Go to the end ↓"}
    </button>
  );
}

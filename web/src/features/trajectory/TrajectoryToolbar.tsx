import type { Ref } from "react";
import { FILTERS, toFilter } from "@/features/trajectory/kinds";
import type { Reader } from "@/features/trajectory/useReader";
import { Button } from "@/ui/Button";
import { CONTROL } from "@/ui/Field";
import { Search } from "@/ui/Search";

interface Props {
  reader: Reader;
  isCompact: boolean;
  field: Ref<HTMLInputElement>;
}

/** Filters, search, and buttons to expand messages. */
export function TrajectoryToolbar({ reader, isCompact, field }: Props) {
  const { view, hits, opened, isFollowing, toEnd, follow, search } = reader;
  const at = view.selected === null ? -1 : hits.indexOf(view.selected);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <KindSelect reader={reader} className={isCompact ? "" : "sm:hidden"} />
      {!isCompact && <KindButtons reader={reader} />}
      <div
        className={`ml-auto flex min-w-0 items-center gap-1 ${isCompact ? "grow basis-0 justify-end" : "flex-wrap"}`}
      >
        <Search
          ref={field}
          label="Search messages"
          query={view.query}
          search={(q) => view.look({ q })}
          at={at}
          total={hits.length}
          move={search}
        />
        <Button
          look="quiet"
          aria-pressed={opened.isAll}
          onClick={opened.toggleAll}
          aria-keyshortcuts="Shift+E"
        >
          {opened.isAll ? "Collapse" : "Expand"}
          <span className={isCompact ? "sr-only" : ""}> all</span>
        </Button>
        <Button
          look="quiet"
          aria-pressed={isFollowing}
          aria-keyshortcuts="f"
          onClick={() => (isFollowing ? follow(false) : toEnd())}
        >
          <span aria-hidden className={isFollowing ? "text-second" : "text-muted"}>
            {isFollowing ? "●" : "○"}
          </span>
          Follow
        </Button>
      </div>
      {view.query && <SearchedRange reader={reader} />}
    </div>
  );
}

/** Says which messages were searched when some are not loaded. */
function SearchedRange({ reader: { trajectory } }: { reader: Reader }) {
  if (!trajectory.hasEarlier && !trajectory.hasLater) return null;
  const { messages, isBusy, loadAll, toTail, hasEarlier } = trajectory;
  return (
    <p className="flex basis-full flex-wrap items-center gap-2 text-xs text-muted">
      Searched {messages.length.toLocaleString("en-US")} loaded messages, from #{messages[0]?.seq}{" "}
      to #{messages.at(-1)?.seq}.
      <Button look="quiet" busy={isBusy} onClick={hasEarlier ? loadAll : toTail}>
        {hasEarlier ? "Load all earlier messages" : "Go to the end"}
      </Button>
    </p>
  );
}

function KindButtons({ reader: { view, counts } }: { reader: Reader }) {
  return (
    <fieldset className="flex min-w-0 max-sm:hidden flex-wrap items-center gap-0.5">
      <legend className="sr-only">Kinds of messages</legend>
      {FILTERS.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={view.filter === kind}
          onClick={() => view.look({ kind: kind === "all" ? "" : kind })}
          className={`min-h-7 rounded-md px-1.5 text-xs ${view.filter === kind ? "bg-accent font-semibold text-on-accent" : "text-soft hover:bg-raised hover:text-text"}`}
        >
          {kind} <span className="tabular-nums opacity-80">{counts[kind]}</span>
        </button>
      ))}
    </fieldset>
  );
}

function KindSelect({ reader, className }: { reader: Reader; className: string }) {
  const { view, counts } = reader;
  return (
    <select
      aria-label="Kind of messages"
      value={view.filter}
      onChange={(event) => view.look({ kind: toFilter(event.target.value) })}
      className={`${CONTROL} w-auto! ${className}`}
    >
      {FILTERS.map((kind) => (
        <option key={kind} value={kind}>
          {kind} ({counts[kind]})
        </option>
      ))}
    </select>
  );
}

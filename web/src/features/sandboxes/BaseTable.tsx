import type { BaseView } from "@/api/types";
import { ago } from "@/features/sandboxes/labels";
import { bytes, date } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

const HEAD = "px-3 py-1.5 text-left font-normal whitespace-nowrap";
const CELL = "px-3 py-1 whitespace-nowrap";

interface Props {
  bases: readonly BaseView[];
  remove: (base: BaseView) => void;
}

/** Prepared bases, most recently used first. */
export function BaseTable({ bases, remove }: Props) {
  const now = useNow(10_000) / 1000;
  const sorted = [...bases].sort((a, b) => b.used_at - a.used_at || (a.key < b.key ? -1 : 1));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section aria-label="List of prepared bases" tabIndex={0} className="relative overflow-x-auto">
      <table className="w-full min-w-[48rem] text-sm">
        <thead className="text-xs text-muted">
          <tr>
            <th className={HEAD}>Key</th>
            <th className={HEAD}>Backend</th>
            <th className={`${HEAD} text-right`}>Size</th>
            <th className={`${HEAD} text-right`}>Created</th>
            <th className={`${HEAD} text-right`}>Last used</th>
            <th className={`${HEAD} text-right`}>Sandboxes</th>
            <th className={HEAD}>
              <span className="sr-only">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((base) => (
            <Row key={`${base.backend} ${base.key}`} base={base} now={now} remove={remove} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ base, now, remove }: { base: BaseView; now: number; remove: Props["remove"] }) {
  return (
    <tr className="border-t border-line hover:bg-raised">
      <td className={`${CELL} max-w-80 truncate max-sm:max-w-32`} title={shown(base.key)}>
        <Hostile text={base.key} />
      </td>
      <td className={`${CELL} text-soft`}>
        <Hostile text={base.backend} />
      </td>
      <td className={`${CELL} text-right tabular-nums`}>
        {base.size_bytes === null ? (
          <span title="The provider does not report it">?</span>
        ) : (
          bytes(base.size_bytes)
        )}
      </td>
      <Time at={base.made_at} now={now} />
      <Time at={base.used_at} now={now} />
      <td className={`${CELL} text-right tabular-nums`}>{base.users}</td>
      <td className={`${CELL} text-right`}>
        <Button
          look="danger"
          disabled={base.users > 0}
          title={base.users > 0 ? "In use by sandboxes" : undefined}
          aria-label={`Remove ${shown(base.key)}`}
          onClick={() => remove(base)}
        >
          Remove
        </Button>
      </td>
    </tr>
  );
}

function Time({ at, now }: { at: number; now: number }) {
  return (
    <td className={`${CELL} text-right text-soft tabular-nums`}>
      {at > 0 ? (
        <time dateTime={new Date(at * 1000).toISOString()} title={date(at)}>
          {ago(at, now)}
        </time>
      ) : (
        ago(at, now)
      )}
    </td>
  );
}

import { Link } from "react-router";
import type { SandboxView } from "@/api/types";
import { whose } from "@/features/sandboxes/labels";
import { age } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { useRowKeys } from "@/lib/useRowKeys";
import { Hostile } from "@/ui/Hostile";

const HEAD = "px-3 py-1.5 text-left font-normal whitespace-nowrap";
const CELL = "px-3 py-1.5 align-baseline";
const LINK = "hover:text-accent-text hover:underline";

const idOf = (one: SandboxView) => `sandbox-${one.id}`;

/** One line each, oldest first; `j` and `k` move, `o` opens whose it is. */
export function SandboxTable({ sandboxes }: { sandboxes: readonly SandboxView[] }) {
  const chosen = useRowKeys(sandboxes.map(idOf));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable
    <section aria-label="Open sandboxes" tabIndex={0} className="overflow-x-auto">
      <table className="w-full min-w-[44rem] text-sm">
        <thead className="text-xs text-muted">
          <tr>
            <th className={HEAD}>Owner</th>
            <th className={HEAD}>State</th>
            <th className={`${HEAD} text-right`}>Age</th>
            <th className={HEAD}>Backend</th>
            <th className={HEAD}>Provider's id</th>
            <th className={HEAD}>Issue</th>
          </tr>
        </thead>
        <tbody>
          {sandboxes.map((one, place) => (
            <Row key={one.id} one={one} chosen={place === chosen} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ one, chosen }: { one: SandboxView; chosen: boolean }) {
  const { words, full, to } = whose(one);
  return (
    <tr
      id={idOf(one)}
      aria-current={chosen || undefined}
      className="border-t border-line hover:bg-raised aria-[current]:bg-raised aria-[current]:shadow-[inset_2px_0_0_var(--accent)]"
    >
      <td className={`${CELL} max-w-56 truncate`} title={shown(full)}>
        {to ? (
          <Link to={to} className={`font-medium ${LINK}`}>
            <Hostile text={words} />
          </Link>
        ) : (
          <Hostile text={words} />
        )}
      </td>
      <td className={`${CELL} whitespace-nowrap`}>
        <Held held={one.held} />
      </td>
      <td className={`${CELL} text-right text-soft tabular-nums`}>{age(one.age_s)}</td>
      <td className={CELL}>
        <Hostile text={one.backend} />
      </td>
      <td className={`${CELL} max-w-64 truncate text-soft`} title={shown(one.external)}>
        {one.external ? (
          <Hostile text={one.external} />
        ) : (
          <span className="text-muted">being created</span>
        )}
      </td>
      <td className={`${CELL} max-w-64 truncate text-soft`} title={shown(one.tags.issue)}>
        {one.tags.issue ? <Issue one={one} /> : <span className="text-muted">–</span>}
      </td>
    </tr>
  );
}

function Issue({ one }: { one: SandboxView }) {
  const { issue, solve } = one.tags;
  if (!solve) return <Hostile text={issue} />;
  return (
    <Link to={`/solves/${encodeURIComponent(solve)}`} className={LINK}>
      <Hostile text={issue} />
    </Link>
  );
}

function Held({ held }: { held: boolean }) {
  if (held) {
    return (
      <span className="text-good" title="The process that asked for it is alive">
        <span aria-hidden>● </span>held
      </span>
    );
  }
  return (
    <span className="text-bad" title="The process that asked for it is dead">
      <span aria-hidden>✗ </span>left behind
    </span>
  );
}

import { Link } from "react-router";
import type { SandboxView } from "@/api/types";
import { ownerOf } from "@/features/sandboxes/labels";
import { age } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { useRowKeys } from "@/lib/useRowKeys";
import { Hostile } from "@/ui/Hostile";

const HEAD = "px-3 py-1.5 text-left font-normal whitespace-nowrap";
const CELL = "px-3 py-1.5 align-baseline";
const LINK = "hover:text-accent-text hover:underline";

const idOf = (sandbox: SandboxView) => `sandbox-${sandbox.id}`;

/** One row per sandbox, oldest first. `j` and `k` move, `o` opens the owner. */
export function SandboxTable({ sandboxes }: { sandboxes: readonly SandboxView[] }) {
  const chosen = useRowKeys(sandboxes.map(idOf));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
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
          {sandboxes.map((sandbox, place) => (
            <Row key={sandbox.id} sandbox={sandbox} chosen={place === chosen} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ sandbox, chosen }: { sandbox: SandboxView; chosen: boolean }) {
  const { words, full, to } = ownerOf(sandbox);
  return (
    <tr
      id={idOf(sandbox)}
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
        <Held held={sandbox.held} />
      </td>
      <td className={`${CELL} text-right text-soft tabular-nums`}>{age(sandbox.age_s)}</td>
      <td className={CELL}>
        <Hostile text={sandbox.backend} />
      </td>
      <td className={`${CELL} max-w-64 truncate text-soft`} title={shown(sandbox.external)}>
        {sandbox.external ? (
          <Hostile text={sandbox.external} />
        ) : (
          <span className="text-muted">being created</span>
        )}
      </td>
      <td className={`${CELL} max-w-64 truncate text-soft`} title={shown(sandbox.tags.issue)}>
        {sandbox.tags.issue ? <Issue sandbox={sandbox} /> : <span className="text-muted">–</span>}
      </td>
    </tr>
  );
}

function Issue({ sandbox }: { sandbox: SandboxView }) {
  const { issue, solve } = sandbox.tags;
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
      <span className="text-good" title="The process that requested it is alive">
        <span aria-hidden>● </span>held
      </span>
    );
  }
  return (
    <span className="text-bad" title="The process that requested it is dead">
      <span aria-hidden>✗ </span>left behind
    </span>
  );
}

import type { CostView } from "@/api/types";
import { money } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { Hostile } from "@/ui/Hostile";

const HEAD = "px-3 py-1.5 text-right font-normal";
const CELL = "px-3 py-1.5 text-right tabular-nums";

interface Props {
  title: string;
  lines: CostView["models"];
  total: number;
}

export function CostTable({ title, lines, total }: Props) {
  return (
    <section className="card min-w-0">
      <h2 className="border-b border-line px-3 py-2 text-sm font-semibold">{title}</h2>
      <table className="w-full table-fixed text-sm">
        <thead className="text-xs text-muted">
          <tr>
            <th className="w-1/2 px-3 py-1.5 text-left font-normal">Name</th>
            <th className={HEAD}>Cost</th>
            <th className={HEAD}>Runs</th>
            <th className={HEAD}>Champions</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.name} className="border-t border-line">
              <td className="max-w-0 px-3 py-1.5">
                <span className="block truncate" title={shown(line.name)}>
                  <Hostile text={line.name} />
                </span>
                <span
                  aria-hidden
                  className="mt-0.5 block h-0.5 rounded bg-accent"
                  style={{ width: `${total > 0 ? (line.cost_usd / total) * 100 : 0}%` }}
                />
              </td>
              <td className={CELL}>{money(line.cost_usd)}</td>
              <td className={CELL}>{line.runs}</td>
              <td className={CELL}>{line.champions}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

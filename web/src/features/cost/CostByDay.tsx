import type { CostView } from "@/api/types";
import { count, money } from "@/lib/format";

/** A bar chart per day, with a table for screen readers. */
export function CostByDay({ days }: { days: CostView["days"] }) {
  const most = Math.max(0, ...days.map((day) => day.cost_usd));
  const first = days[0]?.day ?? "";
  const last = days.at(-1)?.day ?? "";
  return (
    <figure className="card p-4">
      <figcaption className="mb-3 flex justify-between text-xs text-muted">
        <span>Per day</span>
        <span className="tabular-nums">maximum {money(most)}</span>
      </figcaption>
      <div aria-hidden className="flex h-32 items-end gap-px">
        {days.map((day) => (
          <span
            key={day.day}
            title={`${day.day}: ${money(day.cost_usd)}, ${count(day.solves, "solve")}`}
            className="min-w-0 grow rounded-t-sm bg-accent hover:brightness-125"
            style={{ height: height(day.cost_usd, most, day.solves) }}
          />
        ))}
      </div>
      <div
        aria-hidden
        className="mt-1 flex justify-between border-t border-line pt-1 text-xs text-muted"
      >
        <span>{first}</span>
        <span>{last}</span>
      </div>
      <table className="sr-only">
        <caption>Cost per day</caption>
        <thead>
          <tr>
            <th>Day</th>
            <th>Cost</th>
            <th>Solves</th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter((day) => day.solves > 0)
            .map((day) => (
              <tr key={day.day}>
                <td>{day.day}</td>
                <td>{money(day.cost_usd)}</td>
                <td>{day.solves}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}

/** A day with free solves still shows a small bar. */
function height(usd: number, most: number, solves: number): string {
  if (usd > 0 && most > 0) return `max(3px, ${(usd / most) * 100}%)`;
  return solves ? "3px" : "1px";
}

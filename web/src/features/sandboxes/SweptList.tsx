import type { Leftover, Swept } from "@/api/types";
import { FATES, summary } from "@/features/sandboxes/labels";
import { age } from "@/lib/format";
import { Hostile } from "@/ui/Hostile";

/** What one look found, what became of it, and which backends could not be asked. */
export function SweptList({ swept }: { swept: Swept }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 text-sm">
      <p role="status">{summary(swept)}</p>
      {swept.failures.length > 0 && (
        <ul aria-label="Backends that could not be looked at" className="flex flex-col gap-1">
          {swept.failures.map((one) => (
            <li key={one.backend} className="[overflow-wrap:anywhere] text-bad">
              <span aria-hidden>✗ </span>
              <Hostile text={one.backend} /> could not be checked: <Hostile text={one.error} />
            </li>
          ))}
        </ul>
      )}
      {swept.leftovers.length > 0 && (
        <ul aria-label="Leftovers" className="flex flex-col divide-y divide-line">
          {swept.leftovers.map((one) => (
            <Line key={`${one.backend} ${one.id}`} one={one} isDry={swept.dry_run} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Line({ one, isDry }: { one: Leftover; isDry: boolean }) {
  const fate = FATES[one.fate];
  const isOld = typeof one.age_s === "number";
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5 py-1.5">
      <span className={`whitespace-nowrap ${fate.colour}`}>
        <span aria-hidden>{fate.sign} </span>
        {isDry ? fate.dry : fate.done}
      </span>
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <Hostile text={one.backend} /> <Hostile text={one.id} />
      </span>
      <span className="basis-full text-xs [overflow-wrap:anywhere] text-muted">
        <Hostile text={one.why} />
        {isOld && `, ${age(one.age_s ?? 0)} old`}
        {one.owner && (
          <>
            , of <Hostile text={one.owner} />
          </>
        )}
        {one.note && (
          <>
            {" "}
            (<Hostile text={one.note} />)
          </>
        )}
      </span>
    </li>
  );
}

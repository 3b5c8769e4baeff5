import type { Leftover, Swept } from "@/api/types";
import { FATES, summary } from "@/features/sandboxes/labels";
import { age } from "@/lib/format";
import { Hostile } from "@/ui/Hostile";

/** The result of one check: leftovers, what was done with them, and failed backends. */
export function SweptList({ swept }: { swept: Swept }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 text-sm">
      <p role="status">{summary(swept)}</p>
      {swept.failures.length > 0 && (
        <ul aria-label="Backends that could not be checked" className="flex flex-col gap-1">
          {swept.failures.map((failure) => (
            <li key={failure.backend} className="[overflow-wrap:anywhere] text-bad">
              <span aria-hidden>✗ </span>
              <Hostile text={failure.backend} /> could not be checked:{" "}
              <Hostile text={failure.error} />
            </li>
          ))}
        </ul>
      )}
      {swept.leftovers.length > 0 && (
        <ul aria-label="Leftovers" className="flex flex-col divide-y divide-line">
          {swept.leftovers.map((leftover) => (
            <Line
              key={`${leftover.backend} ${leftover.id}`}
              leftover={leftover}
              isDry={swept.dry_run}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function Line({ leftover, isDry }: { leftover: Leftover; isDry: boolean }) {
  const fate = FATES[leftover.fate];
  const isOld = typeof leftover.age_s === "number";
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5 py-1.5">
      <span className={`whitespace-nowrap ${fate.colour}`}>
        <span aria-hidden>{fate.sign} </span>
        {isDry ? fate.dry : fate.done}
      </span>
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <Hostile text={leftover.backend} /> <Hostile text={leftover.id} />
      </span>
      <span className="basis-full text-xs [overflow-wrap:anywhere] text-muted">
        <Hostile text={leftover.why} />
        {isOld && `, ${age(leftover.age_s ?? 0)} old`}
        {leftover.owner && (
          <>
            , owner <Hostile text={leftover.owner} />
          </>
        )}
        {leftover.note && (
          <>
            {" "}
            (<Hostile text={leftover.note} />)
          </>
        )}
      </span>
    </li>
  );
}

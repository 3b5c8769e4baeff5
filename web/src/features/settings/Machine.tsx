import { useQuery } from "@tanstack/react-query";
import { doctorQuery } from "@/api/queries/installation";
import type { Examination } from "@/api/types";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { Failure, Skeleton } from "@/ui/states";

/** What `yudai doctor` says: tools, folders, sandboxes and what each of them promises. */
export function Machine() {
  const query = useQuery(doctorQuery());
  return (
    <section aria-labelledby="machine" className="card flex min-w-0 flex-col gap-3 p-4">
      <header className="flex items-center justify-between gap-3">
        <h2 id="machine" className="font-semibold">
          This machine
        </h2>
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          Look again
        </Button>
      </header>
      {query.isPending && <Skeleton rows={4} label="Looking at this machine" />}
      {query.isError && <Failure error={query.error} />}
      {query.data && <Found found={query.data} />}
    </section>
  );
}

function Found({ found }: { found: Examination }) {
  return (
    <ul className="flex flex-col gap-1.5 text-sm">
      {found.findings.map((one) => (
        <Line key={one.name} ok={one.ok} name={one.name} detail={one.detail} />
      ))}
      {found.sandboxes.map((one) => (
        <li key={one.name} className="flex flex-col gap-1">
          <Mark
            ok={one.usable}
            name={`sandbox ${one.name}${one.default ? " (default)" : ""}`}
            detail={one.detail}
          />
          <ul className="ml-5 flex flex-col gap-1 text-xs">
            {one.guarantees.map((promise) => (
              <Line
                key={promise.name}
                ok={promise.holds}
                name={promise.name}
                detail={promise.how}
              />
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  ok: boolean;
  name: string;
  detail: string;
}

function Line(props: LineProps) {
  return (
    <li>
      <Mark {...props} />
    </li>
  );
}

function Mark({ ok, name, detail }: LineProps) {
  return (
    <p className="break-words">
      <span className={ok ? "text-good" : "text-bad"}>
        <span aria-hidden>{ok ? "✓" : "✗"}</span>
        <span className="sr-only">{ok ? "good:" : "not good:"}</span>
      </span>{" "}
      {name}:{" "}
      <span className={ok ? "text-muted" : "text-text"}>
        <Hostile text={detail} />
      </span>
    </p>
  );
}

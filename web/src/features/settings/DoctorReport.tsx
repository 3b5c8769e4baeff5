import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { doctorQuery } from "@/api/queries/installation";
import type { Examination } from "@/api/types";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";
import { Failure, Skeleton } from "@/ui/states";

/** The report of `yudai doctor`: tools, folders, sandbox backends and their guarantees. */
export function DoctorReport() {
  const query = useQuery(doctorQuery());
  return (
    <section aria-labelledby="machine" className="card flex min-w-0 flex-col gap-3 p-4">
      <header className="flex items-center justify-between gap-3">
        <h2 id="machine" className="font-semibold">
          This machine
        </h2>
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          Check again
        </Button>
      </header>
      {query.isPending && <Skeleton rows={4} label="Checking this machine" />}
      {query.isError && <Failure error={query.error} />}
      {query.data && <Report report={query.data} />}
      <Link to="/sandboxes" className="self-start text-sm text-second underline">
        Open sandboxes and prepared bases
      </Link>
    </section>
  );
}

function Report({ report }: { report: Examination }) {
  return (
    <ul className="flex flex-col gap-1.5 text-sm">
      {report.findings.map((finding) => (
        <Line key={finding.name} ok={finding.ok} name={finding.name} detail={finding.detail} />
      ))}
      {report.sandboxes.map((backend) => (
        <li key={backend.name} className="flex flex-col gap-1">
          <Mark
            ok={backend.set_up ? backend.usable : null}
            name={`sandbox ${backend.name}${backend.default ? " (default)" : ""}`}
            detail={backend.detail}
          />
          {backend.guarantees.length > 0 && (
            <ul className="ml-5 flex flex-col gap-1 text-xs">
              {backend.guarantees.map((promise) => (
                <Line
                  key={promise.name}
                  ok={promise.holds}
                  name={promise.name}
                  detail={promise.how}
                />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  /** Null if the backend is not set up, so that it was not checked. */
  ok: boolean | null;
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

const MARKS = {
  good: { sign: "✓", label: "good:", colour: "text-good", detail: "text-muted" },
  bad: { sign: "✗", label: "problem:", colour: "text-bad", detail: "text-text" },
  none: { sign: "–", label: "not set up:", colour: "text-muted", detail: "text-muted" },
} as const;

function Mark({ ok, name, detail }: LineProps) {
  const mark = MARKS[ok === null ? "none" : ok ? "good" : "bad"];
  return (
    <p className={`break-words ${ok === null ? "text-muted" : ""}`}>
      <span className={mark.colour}>
        <span aria-hidden>{mark.sign}</span>
        <span className="sr-only">{mark.label}</span>
      </span>{" "}
      {name}:{" "}
      <span className={mark.detail}>
        <Hostile text={detail} />
      </span>
    </p>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemError } from "@/api/problem";
import { type Log as Kind, logQuery } from "@/api/queries/runs";
import { Hostile } from "@/ui/Hostile";
import { Log } from "@/ui/Log";
import { Failure, Skeleton } from "@/ui/states";

interface Props {
  runId: string;
  rev: number | string;
  links: Record<string, string>;
}

const LOGS: readonly { kind: Kind; title: string }[] = [
  { kind: "test", title: "Log of the tests with this patch" },
  { kind: "baseline", title: "Log of the baseline" },
];

/** Test logs, fetched when they are opened. */
export function Logs({ runId, rev, links }: Props) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {LOGS.map(({ kind, title }) => (
        <OneLog key={kind} runId={runId} rev={rev} kind={kind} title={title} href={links[kind]} />
      ))}
    </div>
  );
}

interface OneProps {
  runId: string;
  rev: number | string;
  kind: Kind;
  title: string;
  href: string | undefined;
}

function OneLog({ runId, rev, kind, title, href }: OneProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="card min-w-0 px-4 py-2"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="min-h-6 text-sm">{title}</summary>
      {isOpen && <Loaded runId={runId} rev={rev} kind={kind} title={title} href={href} />}
    </details>
  );
}

function Loaded({ runId, rev, kind, title, href }: OneProps) {
  const { data, error, isPending, refetch } = useQuery(logQuery(runId, kind, rev));
  if (isPending) return <Skeleton rows={4} label={`Loading: ${title}`} />;
  if (error instanceof ProblemError && error.code === "not_yet") {
    return (
      <p className="py-2 text-sm text-soft">
        <Hostile text={error.message} />
      </p>
    );
  }
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const name = kind === "test" ? "tests" : kind;
  return (
    <div className="py-2">
      <Log text={data} label={name} {...(href ? { href } : {})} />
    </div>
  );
}

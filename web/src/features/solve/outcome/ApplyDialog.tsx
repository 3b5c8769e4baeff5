import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ProblemError } from "@/api/problem";
import { patchQuery } from "@/api/queries/runs";
import type { components } from "@/api/schema";
import { useApply } from "@/features/solve/useSolve";
import { count } from "@/lib/format";
import { shown } from "@/lib/hostile";
import { parsePatch } from "@/lib/patch/parse";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CopyButton } from "@/ui/CopyButton";
import { Dialog } from "@/ui/Dialog";
import { CONTROL, Field } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";

type Applied = components["schemas"]["AppliedView"];

interface Props {
  solveId: string;
  runId: string;
  handle: string;
  folder: string;
  /** Suggested name of the new branch. */
  branchName: string;
  close: () => void;
}

/** Applies the patch to the folder or to a new branch, and lists the files that change. */
export function ApplyDialog({ solveId, runId, handle, folder, branchName, close }: Props) {
  const apply = useApply(solveId);
  const [isBranch, setBranch] = useState(false);
  const [name, setName] = useState(branchName);
  const branch = isBranch ? name.trim() : "";
  if (apply.data) return <Done applied={apply.data} close={close} />;
  const branchError = apply.error instanceof ProblemError ? apply.error.fields.branch : undefined;
  return (
    <ConfirmDialog
      title={`Apply the patch of ${shown(handle)}`}
      verb={isBranch ? "Create the branch" : "Change the files"}
      busy={apply.isPending}
      disabled={isBranch && !branch}
      error={branchError ? null : apply.error}
      act={() => apply.mutate({ run_id: runId, branch })}
      close={close}
    >
      <Destination isBranch={isBranch} choose={setBranch} />
      {isBranch && (
        <Field label="Name of the new branch" error={branchError}>
          {(wired) => (
            <input
              {...wired}
              value={name}
              maxLength={200}
              spellCheck={false}
              onChange={(event) => setName(event.target.value)}
              className={CONTROL}
            />
          )}
        </Field>
      )}
      <p className="min-w-0 break-words text-soft">
        {isBranch ? "One commit on a new branch of " : "Changes these files in "}
        <code className="text-text">
          <Hostile text={folder} />
        </code>
        {isBranch && "; the files in the folder stay as they are"}.
      </p>
      <Changing runId={runId} />
    </ConfirmDialog>
  );
}

function Destination({
  isBranch,
  choose,
}: {
  isBranch: boolean;
  choose: (isBranch: boolean) => void;
}) {
  const destinations = [
    { value: false, name: "To the folder" },
    { value: true, name: "To a new branch" },
  ];
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
      <legend className="sr-only">Destination</legend>
      {destinations.map((destination) => (
        <label key={destination.name} className="flex min-h-6 cursor-pointer items-center gap-2">
          <input
            type="radio"
            name="where"
            checked={isBranch === destination.value}
            onChange={() => choose(destination.value)}
            className="size-4 accent-accent"
          />
          {destination.name}
        </label>
      ))}
    </fieldset>
  );
}

function Changing({ runId }: { runId: string }) {
  const patch = useQuery(patchQuery(runId, "final"));
  const files = useMemo(() => parsePatch(patch.data ?? "").files, [patch.data]);
  if (patch.isPending) return <p className="text-muted">Loading the patch …</p>;
  if (patch.isError) return <p className="text-bad">{patch.error.message}</p>;
  return (
    <div>
      <p className="text-xs text-muted">{count(files.length, "file")}</p>
      <Paths paths={files.map((file) => file.path)} />
    </div>
  );
}

function Paths({ paths }: { paths: readonly string[] }) {
  return (
    <ul
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      aria-label="Files"
      className="max-h-48 overflow-auto rounded-md border border-line bg-ground px-3 py-1.5 text-xs"
    >
      {paths.map((path) => (
        <li key={path} className="break-all">
          <Hostile text={path} />
        </li>
      ))}
    </ul>
  );
}

function Done({ applied, close }: { applied: Applied; close: () => void }) {
  const next = applied.branch ? `git switch ${applied.branch}` : "git diff";
  return (
    <Dialog
      title={applied.branch ? "The branch was created" : "The files were changed"}
      close={close}
    >
      <p className="min-w-0 text-sm break-words text-soft">
        <span aria-hidden className="text-good">
          ✓{" "}
        </span>
        {count(applied.paths.length, "file")} of <Hostile text={applied.root} />
        {applied.branch && (
          <>
            {" "}
            on <Hostile text={applied.branch} /> ({applied.commit.slice(0, 8)})
          </>
        )}
      </p>
      <Paths paths={applied.paths} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <code className="mr-auto min-w-0 truncate text-xs text-muted">
          <Hostile text={next} />
        </code>
        <CopyButton text={next} />
        <Button look="primary" onClick={close}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

import { useState } from "react";
import { CheckboxField } from "@/features/new-solve/form/CheckboxField";
import { Choice } from "@/features/new-solve/form/Choice";
import { FieldGroup } from "@/features/new-solve/form/FieldGroup";
import { isFolder } from "@/features/new-solve/state/request";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { shown } from "@/lib/hostile";
import { CONTROL, Field } from "@/ui/Field";

const FIELDS = ["setup", "test", "env", "require_proof"];
const SETUPS = [
  { by: "found", name: "detected from the repository" },
  { by: "none", name: "nothing to install" },
  { by: "given", name: "these commands" },
] as const;

/** Options that most solves do not need. Opens when one of them is invalid. */
export function AdvancedFields({ newSolve }: { newSolve: NewSolve }) {
  const { draft, change, error, forecastState } = newSolve;
  const hasError = FIELDS.some((field) => error(field));
  const isChanged = draft.setupBy !== "found" || draft.test || draft.env || !draft.requireProof;
  const [isOpen, setOpen] = useState(Boolean(isChanged));
  const detected = forecastState.forecast?.folder;
  return (
    <details
      className="card min-w-0"
      open={isOpen || hasError}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="px-4 py-3 text-sm text-soft hover:text-text sm:px-5">
        More: set-up, test command, proof
      </summary>
      <div className="flex min-w-0 flex-col gap-4 px-4 pb-4 sm:px-5 sm:pb-5">
        <SetupFields newSolve={newSolve} detected={detected?.setup ?? []} />
        <Field
          label="Test command"
          hint="leave empty to detect it from the repository"
          error={error("test")}
        >
          {(wired) => (
            <input
              {...wired}
              name="test"
              value={draft.test}
              onChange={(event) => change("test", { test: event.target.value })}
              placeholder={shown(detected?.test || "python -m pytest -q")}
              spellCheck={false}
              autoComplete="off"
              className={CONTROL}
            />
          )}
        </Field>
        {isFolder(draft) && <EnvField newSolve={newSolve} />}
        <CheckboxField
          name="require_proof"
          label="Require proof"
          line="a champion needs a test that is red without its patch and green with it"
          isOn={draft.requireProof}
          turn={(requireProof) => change("require_proof", { requireProof })}
          error={error("require_proof")}
        />
      </div>
    </details>
  );
}

function SetupFields({ newSolve, detected }: { newSolve: NewSolve; detected: readonly string[] }) {
  const { draft, change, error } = newSolve;
  const isGiven = draft.setupBy === "given";
  return (
    <>
      <FieldGroup legend="Set-up" error={isGiven ? undefined : error("setup")}>
        <div className="flex flex-wrap gap-2">
          {SETUPS.map(({ by, name }) => (
            <Choice
              key={by}
              name="setup_by"
              many={false}
              isChosen={draft.setupBy === by}
              choose={() => change("setup", { setupBy: by })}
            >
              {name}
            </Choice>
          ))}
        </div>
      </FieldGroup>
      {isGiven && (
        <Field label="Commands" hint="one per line, run in this order" error={error("setup")}>
          {(wired) => (
            <textarea
              {...wired}
              name="setup"
              rows={3}
              value={draft.setup}
              onChange={(event) => change("setup", { setup: event.target.value })}
              placeholder={shown(detected.join("\n") || "pip install -e .")}
              spellCheck={false}
              className={`${CONTROL} resize-y`}
            />
          )}
        </Field>
      )}
    </>
  );
}

function EnvField({ newSolve: { draft, change, error } }: { newSolve: NewSolve }) {
  return (
    <Field
      label="Python environment"
      hint="on the server's machine; used read-only instead of set-up"
      error={error("env")}
    >
      {(wired) => (
        <input
          {...wired}
          name="env"
          value={draft.env}
          onChange={(event) => change("env", { env: event.target.value })}
          placeholder="/home/ada/passbook/.venv"
          spellCheck={false}
          autoComplete="off"
          className={CONTROL}
        />
      )}
    </Field>
  );
}

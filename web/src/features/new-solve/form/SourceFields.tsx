import { CheckboxField } from "@/features/new-solve/form/CheckboxField";
import { FormSection } from "@/features/new-solve/form/FormSection";
import { folderOf, RepositoryField } from "@/features/new-solve/form/RepositoryField";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { shown } from "@/lib/hostile";
import { CONTROL, Field } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";

/** The repository or folder, and its base branch. */
export function SourceFields({ newSolve }: { newSolve: NewSolve }) {
  const { draft, change, error } = newSolve;
  const kind = parseRepository(draft.repo).kind;
  const folder = folderOf(newSolve);
  return (
    <FormSection number={1} title="Where">
      <RepositoryField newSolve={newSolve} />
      {folder && <Notes notes={folder.notes} />}
      <div className="grid items-start gap-4 @lg:grid-cols-2">
        <Field
          label="Base branch"
          hint={
            kind === "folder"
              ? "or any commit; leave empty for what is checked out"
              : "leave empty for the default branch"
          }
          error={error("base_branch")}
        >
          {(wired) => (
            <input
              {...wired}
              name="base_branch"
              value={draft.base}
              onChange={(event) => change("base_branch", { base: event.target.value })}
              placeholder={folder?.branch ? shown(folder.branch) : "main"}
              spellCheck={false}
              autoComplete="off"
              className={CONTROL}
            />
          )}
        </Field>
        {newSolve.folders && kind !== "remote" && (
          <div className="min-w-0 @lg:mt-6">
            <CheckboxField
              name="dirty"
              label="Include uncommitted changes"
              isOn={draft.dirty}
              turn={(dirty) => change("dirty", { dirty })}
              error={error("dirty")}
            />
          </div>
        )}
      </div>
    </FormSection>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} className="text-xs break-words text-accent-text">
      <span aria-hidden>! </span>
      <Hostile text={note} />
    </p>
  ));
}

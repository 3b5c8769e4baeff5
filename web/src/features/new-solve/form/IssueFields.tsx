import { Choice } from "@/features/new-solve/form/Choice";
import { FieldGroup } from "@/features/new-solve/form/FieldGroup";
import { FormSection } from "@/features/new-solve/form/FormSection";
import { PublishFields } from "@/features/new-solve/form/PublishFields";
import { normalised } from "@/features/new-solve/form/RepositoryField";
import { IssuePreview } from "@/features/new-solve/preview/IssuePreview";
import { parseRepository } from "@/features/new-solve/state/repositoryInput";
import { isByNumber } from "@/features/new-solve/state/request";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { CONTROL, Field } from "@/ui/Field";

const SOURCES = [
  { by: "text", name: "as text" },
  { by: "number", name: "by number" },
] as const;

/** The issue: as text or, at a forge, by number. */
export function IssueFields({ newSolve }: { newSolve: NewSolve }) {
  const { draft, change } = newSolve;
  const byNumber = isByNumber(draft);
  const isRemote = parseRepository(draft.repo).kind === "remote";
  return (
    <FormSection number={2} title="What to solve">
      {isRemote && (
        <FieldGroup legend="Give the issue">
          <div className="flex flex-wrap gap-2">
            {SOURCES.map(({ by, name }) => (
              <Choice
                key={by}
                name="issue_by"
                many={false}
                isChosen={(by === "number") === byNumber}
                choose={() =>
                  change("issue_by", (before) => ({ ...normalised(before), issueBy: by }))
                }
              >
                {name}
              </Choice>
            ))}
          </div>
        </FieldGroup>
      )}
      {byNumber ? <NumberField newSolve={newSolve} /> : <TextFields newSolve={newSolve} />}
      {byNumber && <IssuePreview draft={draft} />}
      {isRemote && <PublishFields newSolve={newSolve} />}
    </FormSection>
  );
}

function NumberField({ newSolve: { draft, change, error } }: { newSolve: NewSolve }) {
  return (
    <Field label="Issue number" error={error("issue_number")}>
      {(wired) => (
        <input
          {...wired}
          name="issue_number"
          inputMode="numeric"
          value={parseRepository(draft.repo).number ?? draft.number}
          readOnly={parseRepository(draft.repo).number !== undefined}
          onChange={(event) => change("issue_number", { number: event.target.value })}
          placeholder="123"
          autoComplete="off"
          className={`${CONTROL} max-w-40 tabular-nums`}
        />
      )}
    </Field>
  );
}

function TextFields({ newSolve: { draft, change, error } }: { newSolve: NewSolve }) {
  return (
    <>
      <Field label="Title" error={error("issue_title")}>
        {(wired) => (
          <input
            {...wired}
            name="issue_title"
            value={draft.title}
            maxLength={500}
            onChange={(event) => change("issue_title", { title: event.target.value })}
            placeholder="Interest is wrong in leap years"
            autoComplete="off"
            className={CONTROL}
          />
        )}
      </Field>
      <Field
        label="Description"
        hint="Markdown. Say what happens, what should happen, and give an example. Contestants read nothing else."
        error={error("issue_text")}
      >
        {(wired) => (
          <textarea
            {...wired}
            name="issue_text"
            rows={7}
            value={draft.body}
            onChange={(event) => change("issue_text", { body: event.target.value })}
            placeholder={
              "A year of 366 days earns one day too little:\n\n    interest(1000, 0.01, 366)"
            }
            className={`${CONTROL} resize-y`}
          />
        )}
      </Field>
    </>
  );
}

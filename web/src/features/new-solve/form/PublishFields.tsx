import { Choice } from "@/features/new-solve/form/Choice";
import { FieldGroup } from "@/features/new-solve/form/FieldGroup";
import { PUBLISHING } from "@/features/new-solve/state/draft";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";

/** Whether the champion becomes a pull request, and who decides it. */
export function PublishFields({ newSolve: { draft, change, error } }: { newSolve: NewSolve }) {
  return (
    <FieldGroup legend="Pull request with the champion" field="publish" error={error("publish")}>
      <div className="grid gap-2 @lg:grid-cols-3">
        {PUBLISHING.map(({ mode, name, line }) => (
          <Choice
            key={mode}
            name="publish"
            many={false}
            isChosen={draft.publish === mode}
            choose={() => change("publish", { publish: mode })}
          >
            {name}
            <span className="block text-xs text-muted">{line}</span>
          </Choice>
        ))}
      </div>
    </FieldGroup>
  );
}

import type { FormEvent, KeyboardEvent } from "react";
import { AdvancedFields } from "@/features/new-solve/form/AdvancedFields";
import { IssueFields } from "@/features/new-solve/form/IssueFields";
import { LimitFields } from "@/features/new-solve/form/LimitFields";
import { MatrixFields } from "@/features/new-solve/form/MatrixFields";
import { SourceFields } from "@/features/new-solve/form/SourceFields";
import { EquivalentCommand } from "@/features/new-solve/preview/EquivalentCommand";
import { Summary } from "@/features/new-solve/preview/Summary";
import { useNewSolve } from "@/features/new-solve/state/useNewSolve";

// One column; with the summary beside it; on wide screens, the contestants in a column of their
// own.
const GRID =
  "grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_24rem] min-[110rem]:grid-cols-[minmax(0,5fr)_minmax(0,6fr)_24rem] min-[110rem]:grid-rows-[auto_1fr]";
const COLUMN = "flex min-w-0 flex-col gap-4";

export function NewSolveForm() {
  const { newSolve, modelsRequest, marks, submit, isSending } = useNewSolve();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!isSending) submit();
  };
  return (
    <form
      ref={marks.form}
      aria-label="New solve"
      noValidate
      onSubmit={onSubmit}
      onBlur={marks.onBlur}
      onKeyDown={submitOnCtrlEnter}
      className={GRID}
    >
      <div className={COLUMN}>
        <SourceFields newSolve={newSolve} />
        <IssueFields newSolve={newSolve} />
      </div>
      <div className={`${COLUMN} min-[110rem]:row-span-2`}>
        <MatrixFields newSolve={newSolve} modelsRequest={modelsRequest} />
        <LimitFields newSolve={newSolve} />
        <AdvancedFields newSolve={newSolve} />
      </div>
      <div className="min-w-0 lg:sticky lg:top-16 lg:col-start-2 lg:row-span-3 lg:row-start-1 min-[110rem]:col-start-3">
        <Summary newSolve={newSolve} isSending={isSending} />
      </div>
      <EquivalentCommand newSolve={newSolve} />
    </form>
  );
}

/** Enter alone never starts a solve, because that costs money: the button or Ctrl+Enter does. */
function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter") return;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    event.currentTarget.requestSubmit();
  } else if (event.target instanceof HTMLInputElement) {
    event.preventDefault();
  }
}

import type { FormEvent, KeyboardEvent } from "react";
import { MoreFields } from "@/features/new-solve/form/AdvancedFields";
import { IssueFields } from "@/features/new-solve/form/IssueFields";
import { LimitFields } from "@/features/new-solve/form/LimitFields";
import { LineupFields } from "@/features/new-solve/form/MatrixFields";
import { WhereFields } from "@/features/new-solve/form/SourceFields";
import { Equivalent } from "@/features/new-solve/preview/EquivalentCommand";
import { Summary } from "@/features/new-solve/preview/Summary";
import { useAsk } from "@/features/new-solve/state/useNewSolve";

// One column; with the summary beside it; and where there is room, who competes beside what.
const GRID =
  "grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_24rem] min-[110rem]:grid-cols-[minmax(0,5fr)_minmax(0,6fr)_24rem] min-[110rem]:grid-rows-[auto_1fr]";
const COLUMN = "flex min-w-0 flex-col gap-4";

export function AskForm() {
  const { ask, modelsAsked, marks, submit, isSending } = useAsk();
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
      onBlur={marks.left}
      onKeyDown={onlyMeant}
      className={GRID}
    >
      <div className={COLUMN}>
        <WhereFields ask={ask} />
        <IssueFields ask={ask} />
      </div>
      <div className={`${COLUMN} min-[110rem]:row-span-2`}>
        <LineupFields ask={ask} modelsAsked={modelsAsked} />
        <LimitFields ask={ask} />
        <MoreFields ask={ask} />
      </div>
      <div className="min-w-0 lg:sticky lg:top-16 lg:col-start-2 lg:row-span-3 lg:row-start-1 min-[110rem]:col-start-3">
        <Summary ask={ask} isSending={isSending} />
      </div>
      <Equivalent ask={ask} />
    </form>
  );
}

/** Enter alone never spends money: the button does, or Enter with Ctrl. */
function onlyMeant(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter") return;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    event.currentTarget.requestSubmit();
  } else if (event.target instanceof HTMLInputElement) {
    event.preventDefault();
  }
}

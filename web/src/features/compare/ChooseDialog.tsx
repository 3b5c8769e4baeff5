import { type FormEvent, useState } from "react";
import { ProblemError } from "@/api/problem";
import type { Side } from "@/features/compare/pair";
import { useChoice } from "@/features/compare/useCompare";
import { shown } from "@/lib/hostile";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { CONTROL, Field } from "@/ui/Field";

interface Props {
  solveId: string;
  side: Side;
  close: () => void;
  done: () => void;
}

/** Lets a person choose the champion, with a reason. */
export function ChooseDialog({ solveId, side, close, done }: Props) {
  const [reason, setReason] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const choice = useChoice(solveId, done);
  const problem = choice.error instanceof ProblemError ? choice.error : null;
  const missing = isSubmitted && !reason.trim() ? "Give a reason in one line." : undefined;
  const send = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (reason.trim()) choice.mutate({ run_id: side.run.id, reason });
  };
  return (
    <Dialog title={`Choose ${shown(side.name)} as champion`} close={close}>
      <form onSubmit={send} className="flex flex-col gap-3">
        <p className="text-sm text-soft">
          This contestant replaces the ranking's champion. Your reason is saved with the solve.
        </p>
        <Field
          label="Reason"
          hint="Your reason, in one line."
          error={missing ?? problem?.fields.reason ?? choice.error?.message}
        >
          {(wired) => (
            <input
              {...wired}
              autoFocus
              value={reason}
              maxLength={500}
              autoComplete="off"
              onChange={(event) => setReason(event.target.value)}
              className={CONTROL}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="primary" busy={choice.isPending}>
            Choose {side.letter}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

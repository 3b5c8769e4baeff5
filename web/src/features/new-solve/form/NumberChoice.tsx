import { type KeyboardEvent, useId, useState } from "react";
import { Choice } from "@/features/new-solve/form/Choice";
import { FieldGroup } from "@/features/new-solve/form/FieldGroup";
import { toggled } from "@/features/new-solve/state/draft";
import { numberOf } from "@/features/new-solve/state/request";
import { Button } from "@/ui/Button";
import { CONTROL } from "@/ui/Field";

interface Props {
  legend: string;
  hint: string;
  name: string;
  offered: readonly number[];
  chosen: readonly number[];
  many: boolean;
  /** Returns the error of a typed number, or null. */
  validate: (value: number) => string | null;
  choose: (values: number[]) => void;
  error: string | undefined;
}

const ascending = (a: number, b: number) => a - b;

/** Suggested numbers, and a field for any other number. */
export function NumberChoice({ legend, hint, name, offered, chosen, many, ...rest }: Props) {
  const { validate, choose, error } = rest;
  const shown = [...new Set([...offered, ...chosen])].sort(ascending);
  const pick = (value: number) => choose(toggled(chosen, value, many).sort(ascending));
  const add = (value: number) => !chosen.includes(value) && pick(value);
  return (
    <FieldGroup legend={legend} field={name} hint={hint} error={error}>
      <div className="flex flex-wrap items-start gap-2">
        {shown.map((value) => (
          <Choice
            key={value}
            name={name}
            many={many}
            isChosen={chosen.includes(value)}
            choose={() => pick(value)}
            className="tabular-nums"
          >
            {value}
          </Choice>
        ))}
        <Another legend={legend} validate={validate} add={add} />
      </div>
    </FieldGroup>
  );
}

interface AnotherProps {
  legend: string;
  validate: Props["validate"];
  add: (value: number) => void;
}

function Another({ legend, validate, add }: AnotherProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState("");
  const addTyped = () => {
    const value = numberOf(typed);
    if (value === null) return;
    const reason = Number.isNaN(value) ? "this is not a number" : validate(value);
    setError(reason ?? "");
    if (reason) return;
    add(value);
    setTyped("");
  };
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    addTyped();
  };
  return (
    <div className="flex flex-wrap items-center gap-1">
      <input
        aria-label={`Another value for ${legend.toLowerCase()}`}
        aria-invalid={Boolean(error)}
        aria-describedby={error ? id : undefined}
        inputMode="decimal"
        placeholder="other"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setError("");
        }}
        onKeyDown={onEnter}
        onBlur={addTyped}
        className={`${CONTROL} max-w-20 tabular-nums`}
      />
      <Button look="quiet" onClick={addTyped} aria-label={`Add to ${legend.toLowerCase()}`}>
        Add
      </Button>
      {error && (
        <p id={id} role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

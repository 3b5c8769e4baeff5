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
  /** What is wrong with a number that was typed; null: nothing. */
  trouble: (value: number) => string | null;
  choose: (values: number[]) => void;
  error: string | undefined;
}

const ascending = (a: number, b: number) => a - b;

/** Numbers to choose among, and any other that somebody types. */
export function NumberChoice({ legend, hint, name, offered, chosen, many, ...rest }: Props) {
  const { trouble, choose, error } = rest;
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
        <Another legend={legend} trouble={trouble} add={add} />
      </div>
    </FieldGroup>
  );
}

interface AnotherProps {
  legend: string;
  trouble: Props["trouble"];
  add: (value: number) => void;
}

function Another({ legend, trouble, add }: AnotherProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [wrong, setWrong] = useState("");
  const take = () => {
    const value = numberOf(typed);
    if (value === null) return;
    const told = Number.isNaN(value) ? "this is not a number" : trouble(value);
    setWrong(told ?? "");
    if (told) return;
    add(value);
    setTyped("");
  };
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    take();
  };
  return (
    <div className="flex flex-wrap items-center gap-1">
      <input
        aria-label={`Another value for ${legend.toLowerCase()}`}
        aria-invalid={Boolean(wrong)}
        aria-describedby={wrong ? id : undefined}
        inputMode="decimal"
        placeholder="other"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setWrong("");
        }}
        onKeyDown={onEnter}
        onBlur={take}
        className={`${CONTROL} max-w-20 tabular-nums`}
      />
      <Button look="quiet" onClick={take} aria-label={`Add to ${legend.toLowerCase()}`}>
        Add
      </Button>
      {wrong && (
        <p id={id} role="alert" className="text-xs text-bad">
          {wrong}
        </p>
      )}
    </div>
  );
}

import { type KeyboardEvent, useRef, useState } from "react";
import type { ModelView } from "@/api/types";
import { FieldGroup } from "@/features/new-solve/form/FieldGroup";
import { ModelRow } from "@/features/new-solve/models/ModelRow";
import {
  findModel,
  isCalled,
  isChosen,
  matching,
  nameError,
} from "@/features/new-solve/models/models";
import { toggled } from "@/features/new-solve/state/draft";
import { shown } from "@/lib/hostile";
import { useKeys } from "@/lib/useKeys";
import { Button } from "@/ui/Button";
import { CONTROL, Field } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";

interface Props {
  models: readonly ModelView[];
  chosen: readonly string[];
  many: boolean;
  choose: (names: string[]) => void;
  error: string | undefined;
}

/** A list of models with prices. Other models can be added by name. */
export function ModelPicker({ models, chosen, many, choose, error }: Props) {
  const [query, setQuery] = useState("");
  const typed = query.trim();
  const matches = matching(models, typed);
  const exact = typed ? findModel(models, typed) : undefined;
  const toggle = (model: ModelView) => {
    const others = chosen.filter((name) => !isCalled(model, name));
    choose(others.length < chosen.length && many ? others : toggled(others, model.name, many));
  };
  const add = () => {
    const only = exact ?? (matches.length === 1 ? matches[0] : undefined);
    if (!typed || (!only && nameError(typed))) return;
    const name = only?.name ?? typed;
    const isIn = only ? isChosen(only, chosen) : chosen.includes(name);
    if (!isIn) choose(toggled(chosen, name, many));
    setQuery("");
  };
  return (
    <FieldGroup legend={many ? "Models" : "Model"} field="matrix.models" error={error}>
      <Chosen names={chosen} drop={(name) => choose(chosen.filter((each) => each !== name))} />
      <Search query={query} setQuery={setQuery} add={add} isNew={Boolean(typed) && !exact} />
      <ul className="grid max-h-72 min-w-0 gap-x-5 overflow-y-auto rounded-md border border-line bg-ground p-1 @4xl:grid-cols-2">
        {matches.map((model) => (
          <ModelRow
            key={model.name}
            model={model}
            many={many}
            isChosen={isChosen(model, chosen)}
            choose={() => toggle(model)}
          />
        ))}
        {!matches.length && (
          <li className="px-2 py-3 text-sm text-muted">
            {typed ? "No known model has this name. Add it and enter its price." : "No models."}
          </li>
        )}
      </ul>
    </FieldGroup>
  );
}

interface SearchProps {
  query: string;
  setQuery: (query: string) => void;
  add: () => void;
  isNew: boolean;
}

function Search({ query, setQuery, add, isNew }: SearchProps) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => input.current?.focus() });
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    add();
  };
  const invalid = query.trim() && isNew ? nameError(query.trim()) : null;
  return (
    <div className="flex min-w-0 flex-wrap items-end gap-2">
      <div className="min-w-0 grow basis-60">
        <Field
          label="Find a model, or add one by name"
          hint={invalid ?? "prices in dollars per million tokens, input and output"}
        >
          {(wired) => (
            <input
              {...wired}
              ref={input}
              type="search"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              onKeyDown={onEnter}
              placeholder="vendor/name"
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="none"
              className={CONTROL}
            />
          )}
        </Field>
      </div>
      {isNew && !invalid && (
        <Button onClick={add} className="mb-5.5 max-w-full">
          <span className="truncate">
            Add <Hostile text={query.trim()} />
          </span>
        </Button>
      )}
    </div>
  );
}

interface ChosenProps {
  names: readonly string[];
  drop: (name: string) => void;
}

function Chosen({ names, drop }: ChosenProps) {
  if (!names.length) return <p className="text-sm text-muted">No model chosen yet.</p>;
  return (
    <ul aria-label="Chosen models" className="flex min-w-0 flex-wrap gap-2">
      {names.map((name) => (
        <li
          key={name}
          className="flex max-w-full min-w-0 items-center rounded-md border border-accent-text bg-accent-ground text-sm"
        >
          <span className="min-w-0 truncate py-1 pl-2.5" title={shown(name)}>
            <Hostile text={name} />
          </span>
          <button
            type="button"
            aria-label={`Remove ${shown(name)}`}
            onClick={() => drop(name)}
            className="min-h-8 min-w-8 rounded-md text-accent-text hover:text-text"
          >
            <span aria-hidden>×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

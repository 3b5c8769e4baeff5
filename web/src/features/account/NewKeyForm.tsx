import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ProblemError } from "@/api/problem";
import { accountKeys, createKey } from "@/api/queries/account";
import type { NewKey, Scope } from "@/api/types";
import { Button } from "@/ui/Button";
import { CONTROL, Field } from "@/ui/Field";
import { Hostile } from "@/ui/Hostile";

export const SCOPES: readonly { scope: Scope; line: string }[] = [
  { scope: "read", line: "see solves, issues and costs" },
  { scope: "run", line: "start and stop solves" },
  { scope: "publish", line: "open pull requests" },
];

const EXPIRIES: readonly { days: string; name: string }[] = [
  { days: "7", name: "7 days" },
  { days: "30", name: "30 days" },
  { days: "90", name: "90 days" },
  { days: "366", name: "a year" },
  { days: "", name: "no expiry" },
];

export function NewKeyForm({ done }: { done: (made: NewKey) => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const [days, setDays] = useState("90");
  const create = useMutation({
    mutationFn: createKey,
    onSuccess: (made) => {
      setName("");
      done(made);
    },
    onSettled: () => client.invalidateQueries({ queryKey: accountKeys.keys }),
  });
  const fields = create.error instanceof ProblemError ? create.error.fields : {};
  const isShownAtField = Object.keys(fields).some((field) =>
    ["name", "scopes", "days"].includes(field),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ name: name.trim(), scopes: [...scopes], days: days ? Number(days) : null });
  };
  return (
    <form
      aria-label="New key"
      onSubmit={submit}
      className="flex min-w-0 flex-col gap-3 border-t border-line pt-3"
    >
      <div className="grid min-w-0 items-start gap-3 sm:grid-cols-[minmax(0,1fr)_10rem]">
        <Field label="Name of a new key" error={fields.name}>
          {(wired) => (
            <input
              {...wired}
              value={name}
              maxLength={100}
              placeholder="passbook CI"
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
              className={CONTROL}
            />
          )}
        </Field>
        <Field label="Valid for" error={fields.days}>
          {(wired) => (
            <select
              {...wired}
              value={days}
              onChange={(event) => setDays(event.target.value)}
              className={CONTROL}
            >
              {EXPIRIES.map((expiry) => (
                <option key={expiry.days} value={expiry.days}>
                  {expiry.name}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Scopes chosen={scopes} choose={setScopes} />
      {create.error && !isShownAtField && (
        <p role="alert" className="text-xs break-words text-bad">
          <Hostile text={create.error.message} />
        </p>
      )}
      <Button
        type="submit"
        className="self-start"
        busy={create.isPending}
        disabled={!name.trim() || !scopes.length}
      >
        Create the key
      </Button>
    </form>
  );
}

interface ScopesProps {
  chosen: readonly Scope[];
  choose: (scopes: Scope[]) => void;
}

function Scopes({ chosen, choose }: ScopesProps) {
  return (
    <fieldset className="flex flex-col gap-1 text-sm">
      <legend className="mb-1 text-soft">Permissions</legend>
      {SCOPES.map(({ scope, line }) => (
        <label key={scope} className="flex min-h-6 items-baseline gap-2">
          <input
            type="checkbox"
            className="size-4 translate-y-0.5 accent-(--accent)"
            checked={chosen.includes(scope)}
            onChange={(event) =>
              choose(
                SCOPES.map((entry) => entry.scope).filter((name) =>
                  name === scope ? event.target.checked : chosen.includes(name),
                ),
              )
            }
          />
          {scope}
          <span className="text-xs text-muted">{line}</span>
        </label>
      ))}
    </fieldset>
  );
}

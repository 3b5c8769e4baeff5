import { type ReactNode, useId } from "react";
import { Hostile } from "@/ui/Hostile";

export const CONTROL =
  "w-full min-h-8 rounded-md border border-control bg-ground px-2.5 py-1 text-sm text-text placeholder:text-muted aria-[invalid=true]:border-bad";

export interface Wired {
  id: string;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

interface Props {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: (wired: Wired) => ReactNode;
}

/** A label, a control, and its hint or error. */
export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const described = error || hint ? `${id}-hint` : undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm text-soft">
        {label}
      </label>
      {children({ id, "aria-invalid": Boolean(error), "aria-describedby": described })}
      {error ? (
        <p id={described} role="alert" className="text-xs text-bad">
          <Hostile text={error} />
        </p>
      ) : (
        hint && (
          <p id={described} className="text-xs text-muted">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

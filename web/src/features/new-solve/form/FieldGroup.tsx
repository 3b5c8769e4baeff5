import { type ReactNode, useId } from "react";
import { Hostile } from "@/ui/Hostile";

interface Props {
  legend: string;
  /** Name of the field, to focus the group when it is invalid. */
  field?: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}

/** A group of controls with one legend, and one hint or error. */
export function FieldGroup({ legend, field, hint, error, children }: Props) {
  const id = useId();
  const described = error || hint ? id : undefined;
  return (
    <fieldset
      aria-describedby={described}
      data-field={field}
      data-invalid={error ? "" : undefined}
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-2 rounded-md"
    >
      <legend className="float-left w-full text-sm text-soft">{legend}</legend>
      {error ? (
        <p id={described} role="alert" className="-mt-1.5 text-xs text-bad">
          <Hostile text={error} />
        </p>
      ) : (
        hint && (
          <p id={described} className="-mt-1.5 text-xs text-muted">
            {hint}
          </p>
        )
      )}
      {children}
    </fieldset>
  );
}

import { type ReactNode, useId } from "react";
import { Hostile } from "@/ui/Hostile";

interface Props {
  name: string;
  label: string;
  line?: ReactNode;
  isOn: boolean;
  turn: (on: boolean) => void;
  error: string | undefined;
}

export function CheckboxField({ name, label, line, isOn, turn, error }: Props) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col">
      <label className="flex min-h-8 cursor-pointer items-start gap-2 py-1 text-sm">
        <input
          type="checkbox"
          name={name}
          checked={isOn}
          onChange={(event) => turn(event.target.checked)}
          aria-invalid={Boolean(error)}
          aria-describedby={error ? id : undefined}
          className="mt-0.5 size-4 shrink-0 accent-(--accent)"
        />
        <span>
          {label}
          {line && <span className="block text-xs text-muted">{line}</span>}
        </span>
      </label>
      {error && (
        <p id={id} role="alert" className="text-xs break-words text-bad">
          <Hostile text={error} />
        </p>
      )}
    </div>
  );
}

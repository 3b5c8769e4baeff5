import { useId } from "react";

interface Props {
  label: string;
  line: string;
  isOn: boolean;
  turn: (on: boolean) => void;
}

export function Switch({ label, line, isOn, turn }: Props) {
  const id = useId();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-describedby={id}
        onClick={() => turn(!isOn)}
        className="inline-flex min-h-8 items-center gap-2 rounded-md"
      >
        <span
          aria-hidden
          className={`flex h-5 w-9 items-center rounded-full border px-0.5 ${isOn ? "justify-end border-accent-text bg-accent-ground" : "border-control bg-ground"}`}
        >
          <span className={`size-3.5 rounded-full ${isOn ? "bg-accent" : "bg-control"}`} />
        </span>
        {label} <span className="text-muted">{isOn ? "on" : "off"}</span>
      </button>
      <span id={id} className="text-xs text-muted">
        {line}
      </span>
    </div>
  );
}

import type { ReactNode } from "react";

interface Props {
  name: string;
  many: boolean;
  isChosen: boolean;
  choose: () => void;
  children: ReactNode;
  className?: string;
}

/** A checkbox or radio button in a clickable frame. */
export function Choice({ name, many, isChosen, choose, children, className = "" }: Props) {
  return (
    <label
      className={`flex min-h-8 cursor-pointer items-start gap-2 rounded-md border border-control px-2.5 py-1 text-sm hover:border-accent-text has-checked:border-accent-text has-checked:bg-accent-ground has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-second ${className}`}
    >
      <input
        type={many ? "checkbox" : "radio"}
        name={name}
        checked={isChosen}
        onChange={choose}
        className="mt-1 size-3.5 shrink-0 accent-(--accent) outline-none"
      />
      <span className="min-w-0">{children}</span>
    </label>
  );
}

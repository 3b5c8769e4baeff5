import { type CSSProperties, type ReactNode, useId } from "react";

interface Props {
  number: number;
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

export function FormSection({ number, title, aside, children }: Props) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="card enter @container flex min-w-0 flex-col gap-4 p-4 sm:p-5"
      style={{ "--place": number } as CSSProperties}
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span aria-hidden className="text-sm text-accent-text tabular-nums">
          {String(number).padStart(2, "0")}
        </span>
        <h2 id={id} className="text-base font-semibold">
          {title}
        </h2>
        {aside && <div className="ml-auto min-w-0 text-sm text-muted">{aside}</div>}
      </div>
      {children}
    </section>
  );
}

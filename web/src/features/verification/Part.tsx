import type { ReactNode } from "react";

interface PartProps {
  title: string;
  number?: number;
  what: ReactNode;
  children: ReactNode;
}

export function Part({ title, number, what, children }: PartProps) {
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col gap-2 p-4">
      <div>
        <h3 className="text-sm font-semibold">
          {title}
          {number !== undefined && (
            <span className="ml-2 font-normal text-muted tabular-nums">{number}</span>
          )}
        </h3>
        <p className="text-xs text-soft">{what}</p>
      </div>
      {children}
    </section>
  );
}

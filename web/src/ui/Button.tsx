import type { ButtonHTMLAttributes, Ref } from "react";

type Look = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Record<Look, string> = {
  primary: "border-accent bg-accent font-semibold text-on-accent hover:brightness-110",
  plain: "border-control bg-panel text-text hover:border-accent-text",
  quiet: "border-transparent text-soft hover:bg-raised hover:text-text",
  danger: "border-bad text-bad hover:bg-bad-ground",
};

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = "plain", busy = false, className = "", children, ...rest }: Props) {
  return (
    <button
      type="button"
      aria-busy={busy}
      {...rest}
      disabled={rest.disabled || busy}
      className={`inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border px-3 py-1 text-sm whitespace-nowrap disabled:opacity-60 ${LOOKS[look]} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

export function Spinner() {
  return (
    <span
      aria-hidden
      className="size-3 animate-spin rounded-full border-2 border-current border-t-transparent"
    />
  );
}

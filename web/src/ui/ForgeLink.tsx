import type { ReactNode } from "react";
import { useMe } from "@/api/queries/me";
import { atForge } from "@/lib/forge";
import { shown } from "@/lib/hostile";

interface Props {
  url: string;
  children: ReactNode;
  className?: string;
}

/** Links to this server's forge. A URL of any other site is shown as text. */
export function ForgeLink({ url, children, className = "text-second underline" }: Props) {
  const { forge_url: forge } = useMe();
  const href = atForge(url, forge);
  if (!href) return <span>{children}</span>;
  return (
    <a
      href={href}
      title={shown(href)}
      target="_blank"
      rel="noopener noreferrer"
      className={className}
    >
      {children}
      <span aria-hidden> ↗</span>
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

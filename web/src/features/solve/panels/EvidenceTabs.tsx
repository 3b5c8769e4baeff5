import { type ReactNode, useId } from "react";
import type { View } from "@/features/solve/useSolve";
import { Tabs } from "@/ui/Tabs";

const NAMES: readonly { id: View; name: string }[] = [
  { id: "scorecard", name: "Scorecard" },
  { id: "diff", name: "Diff" },
  { id: "verification", name: "Verification" },
  { id: "issue", name: "Issue" },
  { id: "events", name: "Events" },
];

interface Props {
  view: View;
  choose: (view: View) => void;
  children: ReactNode;
}

/** Tabs for the evidence of a decision. */
export function EvidenceTabs({ view, choose, children }: Props) {
  const panel = useId();
  return (
    <section
      aria-label="Evidence"
      id="evidence"
      className="flex min-w-0 scroll-mt-16 flex-col gap-3"
    >
      <h2 className="sr-only">Evidence</h2>
      <Tabs label="Evidence" tabs={NAMES} chosen={view} choose={choose} panel={panel} />
      <div id={panel} role="tabpanel" className="min-h-80 min-w-0">
        {children}
      </div>
    </section>
  );
}

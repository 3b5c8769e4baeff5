import { useId, useState } from "react";
import type { Forecast } from "@/api/types";
import { bodyOf, pruned } from "@/features/new-solve/state/request";
import type { NewSolve } from "@/features/new-solve/state/useNewSolve";
import { CopyButton } from "@/ui/CopyButton";
import { Hostile } from "@/ui/Hostile";
import { Tabs } from "@/ui/Tabs";

const TABS = [
  { id: "command", name: "Command line" },
  { id: "json", name: "JSON" },
] as const;
type Tab = (typeof TABS)[number]["id"];

/** The same solve as a command line and as an HTTP request. */
export function EquivalentCommand({ newSolve }: { newSolve: NewSolve }) {
  const panel = useId();
  const [tab, setTab] = useState<Tab>("command");
  const text = textOf(tab, newSolve);
  return (
    <section
      aria-labelledby={`${panel}-title`}
      className="card flex min-w-0 flex-col gap-3 p-4 sm:p-5"
    >
      <h2 id={`${panel}-title`} className="text-base font-semibold">
        The same request from the command line or over HTTP
      </h2>
      <div className="flex flex-wrap items-end justify-between gap-2">
        <Tabs label="Format" tabs={TABS} chosen={tab} choose={setTab} panel={panel} />
        <div className="flex gap-1">
          {text && <CopyButton text={text} />}
          <CopyButton text={window.location.href} label="Copy link to this form" />
        </div>
      </div>
      <div id={panel} role="tabpanel" aria-label={TABS.find(({ id }) => id === tab)?.name}>
        {text ? (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
            tabIndex={0}
            className="max-h-80 overflow-auto rounded-md border border-line bg-ground p-3 text-xs break-words whitespace-pre-wrap text-soft"
          >
            <Hostile text={text} />
          </pre>
        ) : (
          <p className="text-sm text-muted">
            {newSolve.forecastState.isFresh
              ? "The command is shown for folders only; yudai solve owner/repo#12 takes the same options."
              : "The command line appears with the estimate."}
          </p>
        )}
      </div>
    </section>
  );
}

function textOf(tab: Tab, { draft, forecastState }: NewSolve): string {
  const fresh: Forecast | undefined = forecastState.isFresh ? forecastState.forecast : undefined;
  if (tab === "command") return (fresh ?? forecastState.forecast)?.command ?? "";
  return JSON.stringify(fresh ? pruned(fresh.ask) : bodyOf(draft), null, 2);
}

import type { SettingsView } from "@/api/types";
import { Hostile } from "@/ui/Hostile";

export function Keys({ keys }: { keys: SettingsView["keys"] }) {
  return (
    <section aria-labelledby="keys" className="card flex min-w-0 flex-col gap-3 p-4">
      <h2 id="keys" className="font-semibold">
        Keys
      </h2>
      <p className="text-xs text-muted">
        From the server's environment. They are never shown, never stored, and never enter a
        sandbox.
      </p>
      <ul className="flex flex-col gap-2 text-sm">
        {keys.map((key) => (
          <li key={key.name} className="flex flex-wrap items-baseline gap-x-3">
            <code>{key.name}</code>
            <span className={key.present ? "text-good" : "text-muted"}>
              <span aria-hidden>{key.present ? "✓" : "–"} </span>
              {key.present ? "present" : "not set"}
            </span>
            <span className="w-full text-xs text-muted">{key.purpose}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Limits({ limits }: { limits: SettingsView["limits"] }) {
  return (
    <section aria-labelledby="limits" className="card flex min-w-0 flex-col gap-3 p-4">
      <h2 id="limits" className="font-semibold">
        Limits
      </h2>
      <dl className="flex flex-col gap-2 text-sm">
        {limits.map((limit) => (
          <div key={limit.name}>
            <dt className="flex justify-between gap-3">
              <code className="min-w-0 truncate">{limit.name}</code>
              <span className="tabular-nums">{limit.value}</span>
            </dt>
            <dd className="text-xs text-muted">{limit.description}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const MODES: Record<string, string> = {
  local: "local (one person, no login)",
  github: "github (people sign in)",
};

export function Place({ settings, mode }: { settings: SettingsView; mode: string }) {
  const facts: [string, string][] = [
    ["version", settings.version],
    ["mode", MODES[mode] ?? mode],
    ["home", settings.home],
    ["database", settings.database],
    ["artifacts", settings.artifacts],
  ];
  return (
    <section aria-labelledby="place" className="card flex min-w-0 flex-col gap-3 p-4">
      <h2 id="place" className="font-semibold">
        Installation
      </h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-all">
              <Hostile text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

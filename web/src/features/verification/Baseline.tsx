import type { TestsView } from "@/api/types";
import { Part } from "@/features/verification/Part";
import { count } from "@/lib/format";
import { CopyButton } from "@/ui/CopyButton";
import { Hostile } from "@/ui/Hostile";
import { TestNames } from "@/ui/TestNames";

type Facts = NonNullable<TestsView["baseline"]>;

const NUMBERS: readonly { name: string; of: (facts: Facts) => number; colour: string }[] = [
  { name: "executed", of: (facts) => facts.executed, colour: "text-text" },
  { name: "passing", of: (facts) => facts.passing, colour: "text-good" },
  { name: "failing", of: (facts) => facts.failing, colour: "text-bad" },
  { name: "flaky", of: (facts) => facts.flaky.length, colour: "text-accent-text" },
];

/** Results of the base's own tests before any patch. */
export function Baseline({ facts }: { facts: TestsView["baseline"] }) {
  if (!facts) {
    return (
      <Part title="Baseline" what="The tests of the base were not run.">
        {null}
      </Part>
    );
  }
  const rest = facts.failing - facts.failed.length;
  return (
    <Part title="Baseline" what="The tests of the base, before any patch.">
      <div className="flex min-w-0 flex-wrap items-center gap-2 text-xs">
        <code className="min-w-0 rounded bg-raised px-2 py-1 [overflow-wrap:anywhere]">
          <Hostile text={facts.command || "no command was found"} />
        </code>
        {facts.command && <CopyButton text={facts.command} />}
      </div>
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {NUMBERS.map(({ name, of, colour }) => (
          <div key={name}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd className={`text-sm tabular-nums ${of(facts) ? colour : "text-muted"}`}>
              {of(facts).toLocaleString("en-US")}
            </dd>
          </div>
        ))}
      </dl>
      {facts.failed.length > 0 && (
        <div className="min-w-0">
          <p className="mb-1 text-xs text-muted">Red before any patch</p>
          <TestNames tests={facts.failed} outcome="red" />
          {rest > 0 && (
            <p className="text-xs text-muted">and {count(rest, "more test")}: see the log</p>
          )}
        </div>
      )}
    </Part>
  );
}

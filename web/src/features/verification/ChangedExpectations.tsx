import type { Verdict } from "@/api/types";
import { Part } from "@/features/verification/Part";
import { saysWords } from "@/lib/verdicts";
import { Hostile } from "@/ui/Hostile";
import { TestName } from "@/ui/TestNames";

/** Tests of the base that expect something else with this patch. */
export function ChangedExpectations({ verdict }: { verdict: Verdict }) {
  const changed = verdict.evidence.changed_expectations;
  if (!changed.length) return null;
  return (
    <Part
      title="Changed expectations"
      number={changed.length}
      what="Tests of the base that expect another value with this patch, and are not weakened."
    >
      <ul className="flex flex-col gap-3 text-xs">
        {changed.map((one) => (
          <li key={`${one.test} ${one.now}`} className="min-w-0">
            <p className="log">
              <TestName test={one.test} />
            </p>
            <dl className="my-1 grid grid-cols-[4rem_minmax(0,1fr)] gap-x-2 gap-y-0.5">
              <Value name="before" text={one.before} colour="text-bad" />
              <Value name="now" text={one.now} colour="text-good" />
            </dl>
            <p
              className={`[overflow-wrap:anywhere] ${one.accepted ? "text-soft" : "text-accent-text"}`}
            >
              <Hostile text={saysWords(one)} />
            </p>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Value({ name, text, colour }: { name: string; text: string; colour: string }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className={`log [overflow-wrap:anywhere] ${text ? colour : "text-muted"}`}>
        {text ? <Hostile text={text} /> : "nothing"}
      </dd>
    </>
  );
}

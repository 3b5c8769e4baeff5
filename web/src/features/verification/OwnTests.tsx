import type { Verdict } from "@/api/types";
import { Part } from "@/features/verification/Part";
import { count } from "@/lib/format";
import { whyNoProof } from "@/lib/verdicts";
import { Hostile } from "@/ui/Hostile";
import { TestName, TestNames } from "@/ui/TestNames";

type Weighed = Verdict["evidence"]["weighed"][number];

const MOST = 12;

/** New tests of a patch: those that fail, those that prove, and why the others prove nothing. */
export function OwnTests({ verdict }: { verdict: Verdict }) {
  const { own_tests, own_failed, valid_tests, weighed } = verdict.evidence;
  if (!own_tests.length && !own_failed.length) return null;
  const [failed, valid] = [new Set(own_failed), new Set(valid_tests)];
  const kinds = new Map(weighed.map((one) => [one.test, one]));
  const idle = weighed.filter((one) => !failed.has(one.test) && whyNoProof(one));
  const proving = own_tests.filter(
    (test) => !failed.has(test) && !idle.some((one) => one.test === test),
  );
  const aside = (test: string) => {
    const one = kinds.get(test);
    if (one) return one.tied ? `${one.kind}, about this issue` : one.kind;
    return valid.has(test) ? "valid" : "also green on the base";
  };
  return (
    <Part
      title="Own tests"
      number={own_tests.length}
      what="New tests of this patch. One that fails on the base for a reason that counts and passes here proves the patch, and is run on the other contestants' patches."
    >
      {own_failed.length > 0 && <TestNames tests={own_failed} outcome="red" />}
      {proving.length > 0 && <TestNames tests={proving} outcome="green" aside={aside} />}
      {idle.length > 0 && <Idle tests={idle} />}
    </Part>
  );
}

function Idle({ tests }: { tests: readonly Weighed[] }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-xs text-muted">Red on the base and green here, but no proof</p>
      <ul aria-label="Tests that prove nothing" className="flex flex-col gap-1 text-xs">
        {tests.slice(0, MOST).map((one) => (
          <li key={one.test} className="min-w-0 [overflow-wrap:anywhere]">
            <span className="log">
              <span aria-hidden className="mr-2 text-accent-text">
                !
              </span>
              <TestName test={one.test} />
            </span>{" "}
            <span className="text-soft">
              {one.kind !== "none" && `${one.kind}: `}
              <Hostile text={whyNoProof(one)} />
            </span>
          </li>
        ))}
      </ul>
      {tests.length > MOST && (
        <p className="text-xs text-muted">and {count(tests.length - MOST, "more test")}</p>
      )}
    </div>
  );
}

import { useState } from "react";
import { count } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Hostile } from "@/ui/Hostile";

export type Outcome = "green" | "red" | "unknown" | "note";

const SIGNS: Record<Outcome, { sign: string; word: string; colour: string }> = {
  green: { sign: "✓", word: "passes", colour: "text-good" },
  red: { sign: "✗", word: "fails", colour: "text-bad" },
  unknown: { sign: "–", word: "not run", colour: "text-muted" },
  note: { sign: "!", word: "notice", colour: "text-accent-text" },
};

interface Props {
  tests: readonly string[];
  outcome: Outcome;
  /** Number of tests shown before "Show more" is pressed. */
  most?: number;
  /** Returns a note shown after a test. */
  aside?: (test: string) => string;
}

/** A list of test ids with the path muted. */
export function TestNames({ tests, outcome, most = 12, aside }: Props) {
  const [isWhole, setWhole] = useState(false);
  const look = SIGNS[outcome];
  if (!tests.length) return null;
  const listed = isWhole ? tests : tests.slice(0, most);
  return (
    <>
      <ul className="log flex flex-col gap-0.5 text-xs">
        {listed.map((test) => (
          <li key={test} className="flex min-w-0 gap-2">
            <span aria-hidden className={look.colour}>
              {look.sign}
            </span>
            <span className="sr-only">{look.word}: </span>
            <TestName test={test} />
            {aside && <span className="ml-auto shrink-0 pl-2 text-muted">{aside(test)}</span>}
          </li>
        ))}
      </ul>
      {listed.length < tests.length && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          Show {count(tests.length - listed.length, "more test")}
        </Button>
      )}
    </>
  );
}

export function TestName({ test }: { test: string }) {
  const at = test.lastIndexOf("::");
  return (
    <span className="min-w-0 break-words [overflow-wrap:anywhere]">
      {at > 0 && (
        <span className="text-muted">
          <Hostile text={test.slice(0, at + 2)} />
        </span>
      )}
      <Hostile text={at > 0 ? test.slice(at + 2) : test} />
    </span>
  );
}

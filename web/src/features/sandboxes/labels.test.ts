import { expect, test } from "vitest";
import { totalWords } from "@/features/sandboxes/Bases";
import { aBase, aLeftover, aLook, aSandbox, NO_TAGS, RUN, SOLVE } from "./builders";
import { ago, summary, whose } from "./labels";

test("a sandbox belongs to a run, a solve, or whoever named themselves", () => {
  expect(whose(aSandbox())).toEqual({
    words: "run bbbbbbbb",
    full: RUN,
    to: `/solves/${SOLVE}/runs/${RUN}`,
  });
  const ofSolve = aSandbox({ owner: SOLVE, tags: { ...NO_TAGS, solve: SOLVE } });
  expect(whose(ofSolve)).toMatchObject({ words: "solve aaaaaaaa", to: `/solves/${SOLVE}` });
  expect(whose(aSandbox({ owner: "doctor", tags: NO_TAGS }))).toEqual({
    words: "doctor",
    full: "doctor",
    to: null,
  });
  expect(whose(aSandbox({ owner: "", tags: NO_TAGS })).words).toBe("unknown");
});

test("a tag that is no id cannot lead elsewhere", () => {
  const tags = { ...NO_TAGS, solve: "../../x?", run: "//evil.example" };
  expect(whose(aSandbox({ tags })).to).toBe("/solves/..%2F..%2Fx%3F/runs/%2F%2Fevil.example");
});

test("what a look found, in one line", () => {
  expect(summary(aLook())).toBe("1 leftover would be removed.");
  expect(summary(aLook({ leftovers: [] }))).toBe("There are no leftovers.");
  const leftovers = [
    aLeftover(),
    aLeftover({ id: "b" }),
    aLeftover({ id: "c", fate: "refused" }),
    aLeftover({ id: "d", fate: "waiting" }),
  ];
  expect(summary(aLook({ dry_run: false, leftovers }))).toBe(
    "2 leftovers removed; 1 leftover could not be removed; the next check tries again;" +
      " 1 leftover being watched.",
  );
});

test("nothing found is not nothing there when a backend did not answer", () => {
  const failures = [{ backend: "e2b", error: "no" }];
  expect(summary(aLook({ leftovers: [], failures }))).toBe(
    "Nothing was found on the backends that answered.",
  );
});

test("a sum with an unknown size in it is a lower bound", () => {
  const known = { bases: [aBase(), aBase({ key: "b" })], total_bytes: 2 ** 31 };
  expect(totalWords(known)).toBe("2 bases, 2.0 GB in total");
  const unknown = { bases: [aBase({ size_bytes: null })], total_bytes: 0 };
  expect(totalWords(unknown)).toBe("1 base, at least 0 B in total");
  expect(totalWords({ bases: [], total_bytes: 0 })).toBe("");
});

test("a time that nobody noted is not 1970", () => {
  expect(ago(0, 1_700_000_000)).toBe("?");
  expect(ago(1_700_000_000, 1_700_000_061)).toBe("1m ago");
});

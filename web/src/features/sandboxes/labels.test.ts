import { expect, test } from "vitest";
import { totalWords } from "@/features/sandboxes/Bases";
import { aBase, aLeftover, aLook, aSandbox, NO_TAGS, RUN, SOLVE } from "./builders";
import { ago, ownerOf, summary } from "./labels";

test("names the owner of a sandbox: a run, a solve or another name", () => {
  expect(ownerOf(aSandbox())).toEqual({
    words: "run bbbbbbbb",
    full: RUN,
    to: `/solves/${SOLVE}/runs/${RUN}`,
  });
  const ofSolve = aSandbox({ owner: SOLVE, tags: { ...NO_TAGS, solve: SOLVE } });
  expect(ownerOf(ofSolve)).toMatchObject({ words: "solve aaaaaaaa", to: `/solves/${SOLVE}` });
  expect(ownerOf(aSandbox({ owner: "doctor", tags: NO_TAGS }))).toEqual({
    words: "doctor",
    full: "doctor",
    to: null,
  });
  expect(ownerOf(aSandbox({ owner: "", tags: NO_TAGS })).words).toBe("unknown");
});

test("escapes a tag that is not an id", () => {
  const tags = { ...NO_TAGS, solve: "../../x?", run: "//evil.example" };
  expect(ownerOf(aSandbox({ tags })).to).toBe("/solves/..%2F..%2Fx%3F/runs/%2F%2Fevil.example");
});

test("summarises a check in one line", () => {
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

test("says that only the backends that answered were checked", () => {
  const failures = [{ backend: "e2b", error: "no" }];
  expect(summary(aLook({ leftovers: [], failures }))).toBe(
    "Nothing was found on the backends that answered.",
  );
});

test("shows a lower bound when a size is unknown", () => {
  const known = { bases: [aBase(), aBase({ key: "b" })], total_bytes: 2 ** 31 };
  expect(totalWords(known)).toBe("2 bases, 2.0 GB in total");
  const unknown = { bases: [aBase({ size_bytes: null })], total_bytes: 0 };
  expect(totalWords(unknown)).toBe("1 base, at least 0 B in total");
  expect(totalWords({ bases: [], total_bytes: 0 })).toBe("");
});

test("shows an unknown time as a question mark", () => {
  expect(ago(0, 1_700_000_000)).toBe("?");
  expect(ago(1_700_000_000, 1_700_000_061)).toBe("1m ago");
});

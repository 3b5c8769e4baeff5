import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { type Keys, useKeys } from "./useKeys";

let told: string[];

function Listener({ keys }: { keys: string[] }) {
  const all: Keys = Object.fromEntries(keys.map((key) => [key, () => told.push(key)]));
  useKeys(all);
  return null;
}

beforeEach(() => {
  told = [];
});

test.each([
  ["the page's before the shell's", ["c", "j"], ["g c", "n"]],
  ["the shell's before the page's", ["g c", "n"], ["c", "j"]],
])("a sequence is never taken for its last key: %s", async (_, first, second) => {
  render(
    <>
      <Listener keys={first} />
      <Listener keys={second} />
    </>,
  );
  await userEvent.keyboard("gc");
  expect(told).toEqual(["g c"]);
  await userEvent.keyboard("cjn");
  expect(told).toEqual(["g c", "c", "j", "n"]);
});

test("not inside a field", async () => {
  const { container } = render(
    <>
      <Listener keys={["c"]} />
      <input aria-label="field" />
    </>,
  );
  await userEvent.type(container.querySelector("input") as HTMLInputElement, "c");
  expect(told).toEqual([]);
});

import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { type Keys, useKeys } from "./useKeys";

let pressed: string[];

function Listener({ keys }: { keys: string[] }) {
  const all: Keys = Object.fromEntries(keys.map((key) => [key, () => pressed.push(key)]));
  useKeys(all);
  return null;
}

beforeEach(() => {
  pressed = [];
});

test.each([
  ["page keys before shell keys", ["c", "j"], ["g c", "n"]],
  ["shell keys before page keys", ["g c", "n"], ["c", "j"]],
])("runs a sequence and not its last key: %s", async (_, first, second) => {
  render(
    <>
      <Listener keys={first} />
      <Listener keys={second} />
    </>,
  );
  await userEvent.keyboard("gc");
  expect(pressed).toEqual(["g c"]);
  await userEvent.keyboard("cjn");
  expect(pressed).toEqual(["g c", "c", "j", "n"]);
});

test("ignores keys inside a field", async () => {
  const { container } = render(
    <>
      <Listener keys={["c"]} />
      <input aria-label="field" />
    </>,
  );
  await userEvent.type(container.querySelector("input") as HTMLInputElement, "c");
  expect(pressed).toEqual([]);
});

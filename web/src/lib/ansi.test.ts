import { describe, expect, it } from "vitest";
import { cleaned, paintableLines, painted, stripped } from "@/lib/ansi";

const ESC = "\u001b";

describe("cleaned", () => {
  it.each([
    ["colours stay", `${ESC}[31mred${ESC}[0m`, `${ESC}[31mred${ESC}[0m`],
    ["a link keeps its words only", `${ESC}]8;;https://evil\u0007here${ESC}]8;;\u0007`, "here"],
    ["a title goes", `${ESC}]0;title${ESC}\\text`, "text"],
    ["a string without an end goes to the end of its line", `${ESC}]0;x\nseen`, "\nseen"],
    ["a cursor that moves goes", `a${ESC}[2K${ESC}[1Gb${ESC}[?25l`, "ab"],
    ["a choice of letters goes", `${ESC}(Ba`, "a"],
    ["progress is its last state", "10%\r50%\r100%\ndone", "100%\ndone"],
    ["the end of a Windows line is no progress", "a\r\nb\r\n", "a\nb\n"],
    ["a line that ends with a return stays", "50%\r", "50%"],
    ["what was rubbed out goes", "ab\bc", "ac"],
    ["an escape that leads nowhere stays to be shown", `a${ESC}`, `a${ESC}`],
  ])("%s", (_, text, left) => expect(cleaned(text)).toBe(left));
});

describe("painted", () => {
  const look = (text: string) => painted(text).map(({ look }) => look);

  it("has a class of ours for each colour", () => {
    expect(painted(`a${ESC}[31mb${ESC}[1;32mc${ESC}[0md`)).toEqual([
      { text: "a", look: "" },
      { text: "b", look: "ansi-red-fg" },
      { text: "c", look: "ansi-bold ansi-green-fg" },
      { text: "d", look: "" },
    ]);
  });

  it("takes the nearest name for millions of colours", () => {
    expect(look(`${ESC}[38;5;196mx`)).toEqual(["ansi-red-fg"]);
    expect(look(`${ESC}[38;2;10;200;30mx`)).toEqual(["ansi-green-fg"]);
    expect(look(`${ESC}[38;5;240mx`)).toEqual(["ansi-bright-black-fg"]);
    expect(look(`${ESC}[91mx`)).toEqual(["ansi-bright-red-fg"]);
  });

  it("never hides: text on a ground keeps a colour that can be read", () => {
    expect(look(`${ESC}[30;40mx`)).toEqual(["bg-raised text-text"]);
    expect(look(`${ESC}[8mx`)).toEqual([""]);
    expect(look(`${ESC}[31;41mx`)).toEqual(["bg-bad-ground text-text"]);
  });

  it("gives up colours rather than make a span of every letter", () => {
    const rainbow = Array.from({ length: 2000 }, (_, n) => `${ESC}[3${n % 7}mx`).join("");
    expect(painted(rainbow)).toEqual([{ text: "x".repeat(2000), look: "" }]);
  });
});

describe("lines", () => {
  it("carry a colour on until it ends", () => {
    const lines = paintableLines(`${ESC}[31ma\nb${ESC}[0m\nc`);
    expect(lines.map((line) => painted(line).at(-1)?.look)).toEqual([
      "ansi-red-fg",
      "ansi-red-fg",
      "",
    ]);
  });

  it("are searched without colours", () => {
    expect(stripped(`pa${ESC}[1mss${ESC}[0med`)).toBe("passed");
  });
});

import { describe, expect, it } from "vitest";
import { cleaned, paintableLines, painted, stripped } from "@/lib/ansi";

const ESC = "\u001b";

describe("cleaned", () => {
  it.each([
    ["keeps colours", `${ESC}[31mred${ESC}[0m`, `${ESC}[31mred${ESC}[0m`],
    ["keeps only the text of a link", `${ESC}]8;;https://evil\u0007here${ESC}]8;;\u0007`, "here"],
    ["removes a title", `${ESC}]0;title${ESC}\\text`, "text"],
    ["removes an unterminated string up to the end of its line", `${ESC}]0;x\nseen`, "\nseen"],
    ["removes cursor movements", `a${ESC}[2K${ESC}[1Gb${ESC}[?25l`, "ab"],
    ["removes a character set selection", `${ESC}(Ba`, "a"],
    ["keeps only the last state of a progress bar", "10%\r50%\r100%\ndone", "100%\ndone"],
    ["treats CRLF as a line ending", "a\r\nb\r\n", "a\nb\n"],
    ["keeps a line that ends with a carriage return", "50%\r", "50%"],
    ["removes backspaced characters", "ab\bc", "ac"],
    ["keeps an incomplete escape", `a${ESC}`, `a${ESC}`],
  ])("%s", (_, text, expected) => expect(cleaned(text)).toBe(expected));
});

describe("painted", () => {
  const look = (text: string) => painted(text).map(({ look }) => look);

  it("maps each colour to a class", () => {
    expect(painted(`a${ESC}[31mb${ESC}[1;32mc${ESC}[0md`)).toEqual([
      { text: "a", look: "" },
      { text: "b", look: "ansi-red-fg" },
      { text: "c", look: "ansi-bold ansi-green-fg" },
      { text: "d", look: "" },
    ]);
  });

  it("maps 256 and true colours to the nearest named colour", () => {
    expect(look(`${ESC}[38;5;196mx`)).toEqual(["ansi-red-fg"]);
    expect(look(`${ESC}[38;2;10;200;30mx`)).toEqual(["ansi-green-fg"]);
    expect(look(`${ESC}[38;5;240mx`)).toEqual(["ansi-bright-black-fg"]);
    expect(look(`${ESC}[91mx`)).toEqual(["ansi-bright-red-fg"]);
  });

  it("keeps text readable on a background colour", () => {
    expect(look(`${ESC}[30;40mx`)).toEqual(["bg-raised text-text"]);
    expect(look(`${ESC}[8mx`)).toEqual([""]);
    expect(look(`${ESC}[31;41mx`)).toEqual(["bg-bad-ground text-text"]);
  });

  it("drops colours when the text would need too many spans", () => {
    const rainbow = Array.from({ length: 2000 }, (_, n) => `${ESC}[3${n % 7}mx`).join("");
    expect(painted(rainbow)).toEqual([{ text: "x".repeat(2000), look: "" }]);
  });
});

describe("paintableLines", () => {
  it("repeats a colour on each line until it ends", () => {
    const lines = paintableLines(`${ESC}[31ma\nb${ESC}[0m\nc`);
    expect(lines.map((line) => painted(line).at(-1)?.look)).toEqual([
      "ansi-red-fg",
      "ansi-red-fg",
      "",
    ]);
  });

  it("leaves lines that are searched without colours", () => {
    expect(stripped(`pa${ESC}[1mss${ESC}[0med`)).toBe("passed");
  });
});

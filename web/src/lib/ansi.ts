import Anser from "anser";

/** Terminal output as spans with CSS classes. Cursor movements, links and markup are removed. */
export interface Paint {
  text: string;
  look: string;
}

/** Above this many spans, text is shown without colours: every letter can have its own. */
const MAX_PAINTS = 300;

const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches escape sequences
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|[ -/]+[0-~]|[0-OQ-WYZ\\`-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const COLOUR = /^\u001b\[[\d;]*m$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const COLOURS = /\u001b\[[\d;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const BACKSPACED = /[^\n\u001b\b]\u0008/g;

/** Removes all escapes except colours, and keeps the last version of an overwritten line. */
export function cleaned(text: string): string {
  let clean = text;
  if (clean.includes("\u001b")) {
    clean = clean.replace(ESCAPES, (code) => (COLOUR.test(code) ? code : ""));
  }
  if (clean.includes("\b")) clean = clean.replace(BACKSPACED, "");
  if (clean.includes("\r"))
    clean = clean.replace(/\r+\n/g, "\n").split("\n").map(folded).join("\n");
  return clean;
}

/** Text without colours, for search and counting. */
export function stripped(text: string): string {
  const clean = cleaned(text);
  return clean.includes("\u001b") ? clean.replace(COLOURS, "") : clean;
}

export function painted(text: string): Paint[] {
  const clean = cleaned(text);
  if (!clean.includes("\u001b[")) return clean ? [{ text: clean, look: "" }] : [];
  const paints: Paint[] = [];
  for (const chunk of Anser.ansiToJson(clean, { use_classes: true, remove_empty: true })) {
    const look = lookOf(chunk);
    const last = paints.at(-1);
    if (last?.look === look) last.text += chunk.content;
    else paints.push({ text: chunk.content, look });
    if (paints.length > MAX_PAINTS) return [{ text: clean.replace(COLOURS, ""), look: "" }];
  }
  return paints;
}

/** Lines that can be painted separately: a colour that continues is repeated on each line. */
export function paintableLines(text: string): string[] {
  let carried = "";
  return cleaned(text)
    .split("\n")
    .map((line) => {
      const whole = carried + line;
      if (line.includes("\u001b")) carried = lastColours(whole);
      return whole;
    });
}

const MAX_CARRIED = 64;

function lastColours(line: string): string {
  const all = line.match(COLOURS) ?? [];
  const reset = all.findLastIndex((code) => /\[0*m$/.test(code));
  return all
    .slice(reset + 1)
    .join("")
    .slice(-MAX_CARRIED);
}

function folded(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part.replace(COLOURS, "").trim()) ?? "";
}

type Chunk = ReturnType<typeof Anser.ansiToJson>[number];

const DECORATIONS: Record<string, string> = {
  bold: "ansi-bold",
  dim: "ansi-dim",
  italic: "ansi-italic",
  underline: "ansi-underline",
  strikethrough: "line-through",
};

const GROUNDS: Record<string, string> = {
  red: "bg-bad-ground",
  green: "bg-good-ground",
  yellow: "bg-accent-ground",
  magenta: "bg-accent-ground",
  blue: "bg-second-ground",
  cyan: "bg-second-ground",
};

function lookOf(chunk: Chunk): string {
  const looks = chunk.decorations.map((name) => DECORATIONS[name] ?? "");
  if (chunk.bg) {
    // Text on a background keeps the default colour: other pairs may be unreadable.
    const name = colourOf(chunk.bg, chunk.bg_truecolor).replace("bright-", "");
    looks.push(GROUNDS[name] ?? "bg-raised", "text-text");
  } else if (chunk.fg) {
    looks.push(`ansi-${colourOf(chunk.fg, chunk.fg_truecolor)}-fg`);
  }
  return looks.filter(Boolean).join(" ");
}

/** Returns the nearest of the sixteen colour names. */
function colourOf(name: string, rgb: string | null): string {
  const palette = /^ansi-palette-(\d+)$/.exec(name);
  if (palette) return nearest(...cube(Number(palette[1])));
  if (name === "ansi-truecolor") {
    const [r = 0, g = 0, b = 0] = (rgb ?? "").split(",").map(Number);
    return nearest(r, g, b);
  }
  return name.replace(/^ansi-/, "");
}

function cube(number: number): [number, number, number] {
  if (number >= 232) {
    const grey = 8 + (number - 232) * 10;
    return [grey, grey, grey];
  }
  const at = (place: number) => {
    const step = Math.floor((number - 16) / 6 ** place) % 6;
    return step ? 55 + step * 40 : 0;
  };
  return [at(2), at(1), at(0)];
}

const HUES = ["red", "yellow", "green", "cyan", "blue", "magenta"] as const;

function nearest(r: number, g: number, b: number): string {
  const [high, low] = [Math.max(r, g, b), Math.min(r, g, b)];
  if (high - low < 40) return high < 128 ? "bright-black" : high < 224 ? "white" : "bright-white";
  const spread = high - low;
  const sixth =
    high === r ? (g - b) / spread : high === g ? 2 + (b - r) / spread : 4 + (r - g) / spread;
  return HUES[(Math.round(sixth) + 6) % 6] ?? "white";
}

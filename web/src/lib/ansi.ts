import Anser from "anser";

/** What a terminal would show, as pieces with classes of ours: no cursor, no links, no markup. */
export interface Paint {
  text: string;
  look: string;
}

/** Above this a text is shown without colours: a change of colour per letter would be one span each. */
const MAX_PAINTS = 300;

const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|[ -/]+[0-~]|[0-OQ-WYZ\\`-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const COLOUR = /^\u001b\[[\d;]*m$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const COLOURS = /\u001b\[[\d;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const RUBBED_OUT = /[^\n\u001b\b]\u0008/g;

/** Only colours are left of the escapes; a line that was written over is its last version. */
export function cleaned(text: string): string {
  let left = text;
  if (left.includes("\u001b")) {
    left = left.replace(ESCAPES, (found) => (COLOUR.test(found) ? found : ""));
  }
  if (left.includes("\b")) left = left.replace(RUBBED_OUT, "");
  if (left.includes("\r")) left = left.replace(/\r+\n/g, "\n").split("\n").map(folded).join("\n");
  return left;
}

/** As it is searched and counted. */
export function stripped(text: string): string {
  const left = cleaned(text);
  return left.includes("\u001b") ? left.replace(COLOURS, "") : left;
}

export function painted(text: string): Paint[] {
  const left = cleaned(text);
  if (!left.includes("\u001b[")) return left ? [{ text: left, look: "" }] : [];
  const paints: Paint[] = [];
  for (const chunk of Anser.ansiToJson(left, { use_classes: true, remove_empty: true })) {
    const look = lookOf(chunk);
    const last = paints.at(-1);
    if (last?.look === look) last.text += chunk.content;
    else paints.push({ text: chunk.content, look });
    if (paints.length > MAX_PAINTS) return [{ text: left.replace(COLOURS, ""), look: "" }];
  }
  return paints;
}

/** Lines that can be painted each by itself: a colour that goes on is said again. */
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
  const reset = all.findLastIndex((one) => /\[0*m$/.test(one));
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
  const looks = chunk.decorations.map((one) => DECORATIONS[one] ?? "");
  if (chunk.bg) {
    // On a ground the text keeps its own colour: only those pairs are known to be readable.
    const name = colourOf(chunk.bg, chunk.bg_truecolor).replace("bright-", "");
    looks.push(GROUNDS[name] ?? "bg-raised", "text-text");
  } else if (chunk.fg) {
    looks.push(`ansi-${colourOf(chunk.fg, chunk.fg_truecolor)}-fg`);
  }
  return looks.filter(Boolean).join(" ");
}

/** One of the sixteen names, whichever of the millions it was. */
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

// What every reporter for Node writes: one line of JSON as each thing happens, sealed at the end.
"use strict";

const { createHmac } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { fileURLToPath } = require("node:url");

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const COLOUR = /\u001b\[[\d;]*m/g;
const MAX_FRAMES = 20;
const MAX_MESSAGE = 500;
const MAX_STACK = 100_000;
const MAX_LINE = 2000;
const FOREIGN = new Set(["node_modules", ".yarn", ".venv"]);
const ASSERTIONS = /(?:^|[A-Z]\w*)AssertionError$|^(?:AssertError|TestingLibraryElementError)$/;
// What runners and matchers throw themselves; a test that throws the same harms only itself.
const SAID = [
  ["timeout", /^(?:thrown: ")?(?:Exceeded timeout of [^\n]* for a test|[Tt]est timed out (?:in|after) |Timeout of \d+ms exceeded)/],
  ["set_up", /^(?:thrown: ")?(?:Exceeded timeout of [^\n]* for a hook|Hook timed out in )/],
  ["exit", /^process\.exit (?:unexpectedly )?called with /],
  ["assertion", /^(?:expect|assert)[.(]|^Snapshot |^The expression evaluated to a falsy value:/],
];
// The workspace, as seen from where the tests are started.
const root = path.resolve(process.env.YUDAI_WORKSPACE ?? ".");

/** Open the report; the key's file is gone afterwards, and the key is in no property. */
function openReport(reportPath, keyPath, idsPath) {
  const file = fs.openSync(reportPath, fs.constants.O_WRONLY | fs.constants.O_APPEND);
  const hmac = createHmac("sha256", fs.readFileSync(keyPath));
  fs.unlinkSync(keyPath);
  const wanted = idsPath === "-" ? null : new Set(JSON.parse(fs.readFileSync(idsPath, "utf8")));
  // Bound now: code under test may put others in their place.
  const update = hmac.update.bind(hmac);
  const digest = hmac.digest.bind(hmac);
  const write = fs.writeSync;
  const stringify = JSON.stringify;
  const encode = Buffer.from;
  let results = 0;
  let done = false;

  function emit(line) {
    if (done) return;
    const bytes = encode(`${stringify(line)}\n`, "utf8");
    update(bytes);
    write(file, bytes);
  }

  return Object.freeze({
    /** `failure`: how it failed, as long as there may be another try. */
    started(id, failure) {
      if (wanted === null || wanted.has(clean(id))) emit({ event: "started", id: clean(id), failure });
    },
    result(id, outcome, { failure, ms } = {}) {
      if (wanted !== null && !wanted.has(clean(id))) return;
      results += 1;
      emit({ event: "result", id: clean(id), outcome, failure, seconds: secondsOf(ms) });
    },
    trouble(id, failure) {
      if (wanted === null) emit({ event: "trouble", id: clean(id), outcome: "error", failure });
    },
    uncollected(id, failure) {
      emit({ event: "uncollected", id: clean(id), failure });
    },
    /** `lost`: how many results are known to be missing. */
    finish(lost = 0) {
      if (done) return;
      const bytes = `${stringify({ event: "finished", collected: results + lost, seal: digest("hex") })}\n`;
      done = true;
      write(file, bytes);
    },
  });
}

function clean(text) {
  return String(text).replace(LONE_SURROGATE, "\ufffd");
}

function secondsOf(ms) {
  return Number.isFinite(ms) && ms >= 0 ? Math.round(ms * 10) / 10_000 : undefined;
}

/**
 * How something failed, bounded; of its kind, if where it happened already says so.
 * `base`: where files are that the stack does not name from the root on.
 */
function describe(error, kind, base = "") {
  try {
    const first = error?.name === "AggregateError" ? error.errors?.[0] : undefined;
    return describeError(first ?? error, kind, base);
  } catch {
    // A property of what was thrown is hostile code.
    return { kind: kind ?? "unknown" };
  }
}

function describeError(error, kind, base) {
  const stack = String(error?.stack ?? error?.stackStr ?? "");
  const head = headOf(stack);
  const message = String(error?.message ?? (stack ? head.message : error));
  const type = String(head.type || error?.name || nameOf(error));
  return {
    kind: kind ?? kindOf(error, type, message),
    type: clean(type.slice(0, MAX_MESSAGE)),
    message: clean(message.slice(0, MAX_STACK).replace(COLOUR, "").slice(0, MAX_MESSAGE)),
    frames: framesOf(stack, message, base),
  };
}

/** What came from another process has lost its class. */
function nameOf(error) {
  const isPlain = error?.constructor === Object || error?.constructor === undefined;
  return isPlain ? "" : error.constructor.name;
}

/** A stack begins with type and message. */
function headOf(stack) {
  const end = stack.search(/\n[ \t]+at /);
  const head = end < 0 ? stack : stack.slice(0, end);
  const type = /^[\w$.]{1,100}(?= ?(?:\[\w{1,50}\])?: )/.exec(head)?.[0] ?? "";
  return { type, message: type ? head.slice(head.indexOf(": ") + 2) : head };
}

function kindOf(error, type, message) {
  const said = SAID.find(([, pattern]) => pattern.test(message))?.[0];
  // Libraries that assert for a runner, such as supertest, say what they expected and what they got.
  const isCompared = error?.expected !== undefined && error?.actual !== undefined;
  const isAssertion = isCompared || error?.code === "ERR_ASSERTION" || error?.matcherResult !== undefined;
  return isAssertion || ASSERTIONS.test(type) ? "assertion" : (said ?? "exception");
}

/** Lines of the workspace, the innermost last. */
function framesOf(stack, message, base) {
  const at = message ? stack.indexOf(message) : -1;
  const start = at < 0 ? 0 : at + message.length;
  const frames = [];
  for (const line of stack.slice(start, start + MAX_STACK).split("\n")) {
    const frame = line.length > MAX_LINE ? null : frameOf(line.trim(), base);
    if (frame) frames.push(frame);
    if (frames.length === MAX_FRAMES) break;
  }
  return frames.reverse();
}

/** `at name (file:line:column)`, or without a name. */
function frameOf(line, base) {
  if (!line.startsWith("at ")) return null;
  const words = line.slice(3);
  const split = words.endsWith(")") ? words.indexOf(" (") : -1;
  const place = split < 0 ? words.replace(/^async /, "") : words.slice(split + 2, -1);
  const name = split < 0 ? "" : words.slice(0, split).replace(/^(?:async|new) /, "");
  return placed(place, name, base);
}

function placed(place, name, base) {
  const [, file, line] = /^([^\n]*?):(\d+)(?::\d+)?$/.exec(place) ?? [];
  const inner = file ? inside(file, base) : "";
  return inner ? { path: clean(inner), line: Number(line), function: clean(name.slice(0, MAX_MESSAGE)) } : null;
}

/** A file's path in the workspace; "" when it is not of the repository. */
function inside(file, base) {
  const local = file.startsWith("file:") ? pathOf(file) : file.split("?")[0];
  const isPlain = local && !/^[a-z-]+:/.test(local) && !local.startsWith("<");
  if (!isPlain || !(base || path.isAbsolute(local))) return "";
  const inner = path.relative(root, path.resolve(base, local)).split(path.sep);
  return inner[0] && inner[0] !== ".." && !inner.some((part) => FOREIGN.has(part)) ? inner.join("/") : "";
}

function pathOf(url) {
  try {
    return fileURLToPath(url);
  } catch {
    return "";
  }
}

/** What node printed at its end, after an error that was not caught. */
function describeOutput(output, kind) {
  if (!/^Node\.js v\d/m.test(output)) return null;
  const lines = output.slice(-MAX_STACK).split("\n");
  const mark = lines.findIndex((line) => /^\s*\^+\s*$/.test(line));
  const head = lines.findIndex((line, n) => n > mark && line.trim());
  const failure = describe({ stack: lines.slice(head).join("\n") }, kind);
  const source = failure.type === "SyntaxError" ? placed((lines[mark - 2] ?? "").trim(), "", "") : null;
  if (source) failure.frames = [...(failure.frames ?? []), source].slice(-MAX_FRAMES);
  return failure;
}

/** A file's name as test ids have it: relative to where the tests were started. */
function place(file, cwd) {
  return path.relative(cwd, file).split(path.sep).join("/");
}

function idOf(file, titles, cwd) {
  return `${place(file, cwd)}::${titles.join(" > ")}`;
}

/** The words of the command line: REPORT KEY IDS [arguments] -- [files]. */
function parseWords(words) {
  const [report, key, ids, ...rest] = words;
  const split = rest.lastIndexOf("--");
  return { report, key, ids, args: rest.slice(0, split), files: rest.slice(split + 1) };
}

/**
 * Names of the tests that are wanted, as an expression; null: all, or it cannot be said.
 * Otherwise tests that are run alone would run after the others of their file.
 */
function patternOf(idsPath) {
  if (idsPath === "-") return null;
  const ids = JSON.parse(fs.readFileSync(idsPath, "utf8")).map((id) => String(id).split("::"));
  if (ids.length === 0 || ids.some((parts) => parts.length < 2)) return null;
  const names = new Set(ids.map((parts) => parts.slice(1).join("::")).flatMap(withParents));
  const source = [...names].map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll(" > ", "(?: > | )")).join("|");
  return source.length > MAX_STACK ? null : `^\\s*(?:${source})$`;
}

/** A test inside of a test runs only if that one does, and Node 20 compares each title by itself. */
function withParents(name) {
  const titles = name.split(" > ");
  return titles.flatMap((_, first) => titles.slice(first).map((_, n) => titles.slice(first, first + n + 1).join(" > ")));
}

/** Leave out options by name; `valued` ones take the next word with them. */
function without(args, names, valued = []) {
  const kept = [];
  for (let i = 0; i < args.length; i += 1) {
    const name = args[i].split("=")[0];
    if (valued.includes(name)) {
      if (!args[i].includes("=")) i += 1;
    } else if (!names.includes(name)) {
      kept.push(args[i]);
    }
  }
  return kept;
}

/** The folder of a package as code in `cwd` would find it; "" when it is not there. */
function packageFolder(name, cwd) {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const found = path.join(folder, "node_modules", name);
    if (fs.existsSync(path.join(found, "package.json"))) return fs.realpathSync(found);
    if (folder === path.dirname(folder)) return "";
  }
}

/** Like packageFolder; without the package the process ends. */
function needPackage(name, cwd) {
  const folder = packageFolder(name, cwd);
  if (folder) return folder;
  process.stderr.write(`${name} is not installed\n`);
  return process.exit(1);
}

module.exports = { openReport, describe, describeOutput, idOf, patternOf, place, parseWords, without, packageFolder, needPackage };

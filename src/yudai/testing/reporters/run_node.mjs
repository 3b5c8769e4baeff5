// Runs node:test and writes a report: run_node.mjs REPORT KEY IDS [arguments of node] -- [files].
// Test files run in processes of their own; only this one ever has the key.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { run } from "node:test";

const { describe, describeOutput, idOf, openReport, parseWords, patternOf, place } = createRequire(import.meta.url)("./report.cjs");

const VALUED = ["--import", "--require", "-r", "--loader", "--experimental-loader", "--env-file", "--conditions", "-C"];
const NAMED = /(?:^|[-_.])test\.[cm]?[jt]s$|^test[-_].*\.[cm]?[jt]s$/;
const SCRIPT = /\.[cm]?js$/;
const TYPED = /\.[cm]?ts$/;
const DECLARED = /\.d\.[cm]?ts$/;
const MAX_OUTPUT = 200;
const GRACE_MS = 250;
const cwd = process.cwd();

function main() {
  const words = parseWords(process.argv.slice(2));
  const report = openReport(words.report, words.key, words.ids);
  const { flags, patterns, names } = sort(words.args);
  const files = words.files.length ? words.files.map(absolute) : find(patterns, flags);
  // Children take these over; this process must not load any code of the repository.
  process.execArgv = [...process.execArgv, ...flags];
  const timeout = Number(process.env.YUDAI_TIMEOUT_S) * 800 || undefined;
  const wanted = patternOf(words.ids);
  const testNamePatterns = names ?? (wanted ? [wanted] : undefined);
  const stream = run({ files, concurrency: true, timeout, testNamePatterns, execArgv: flags });
  follow(stream, report, new Set(files), endHung(files, timeout));
}

/** Files that node's own SIGTERM does not end: since Node 24 one that never yields hears it and goes on. */
function endHung(files, timeout) {
  const ended = new Set();
  let since = new Map();
  const look = () => {
    const now = Date.now();
    since = new Map(children().map((pid) => [pid, since.get(pid) ?? now]));
    for (const [pid, start] of since) {
      if (now - start >= timeout + GRACE_MS) end(pid);
    }
  };
  const end = (pid) => {
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      files.filter((file) => words.includes(file)).forEach((file) => ended.add(file));
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself meanwhile.
    }
  };
  if (timeout) setInterval(look, GRACE_MS).unref();
  return ended;
}

function children() {
  const file = `/proc/self/task/${process.pid}/children`;
  // Not every kernel has it.
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : [];
}

/** Node's own flags, what the tests are, and which of them by name. */
function sort(args) {
  const sorted = { flags: [], patterns: [], names: undefined };
  for (let i = 0; i < args.length; i += 1) {
    const [name, value] = args[i].split(/=(.*)/s);
    if (name === "--test-name-pattern") {
      sorted.names = [...(sorted.names ?? []), value ?? args[(i += 1)]];
    } else if (VALUED.includes(name) && value === undefined) {
      sorted.flags.push(args[i], args[(i += 1)]);
    } else if (args[i].startsWith("-")) {
      if (!name.startsWith("--test") && name !== "--watch" && !name.includes("coverage")) sorted.flags.push(args[i]);
    } else {
      sorted.patterns.push(args[i]);
    }
  }
  return sorted;
}

function find(patterns, flags) {
  const typed = Boolean(process.features.typescript) || flags.some((flag) => /tsx|ts-node|swc|strip-types/.test(flag));
  const isTest = (file) => (SCRIPT.test(file) || (typed && TYPED.test(file) && !DECLARED.test(file))) && isNamed(file);
  const all = [...walk(cwd)];
  if (!patterns.length) return all.filter(isTest);
  return [...new Set(patterns.flatMap((pattern) => matches(pattern, all, isTest)))];
}

/** As `node --test` without arguments finds them. */
function isNamed(file) {
  const parts = place(file, cwd).split("/");
  return NAMED.test(parts.at(-1)) || parts.slice(0, -1).includes("test");
}

function matches(pattern, all, isTest) {
  const target = absolute(pattern);
  if (fs.existsSync(target)) {
    if (fs.statSync(target).isFile()) return [target];
    const inside = all.filter((file) => file.startsWith(target + path.sep));
    const named = inside.filter(isTest);
    return named.length ? named : inside.filter((file) => SCRIPT.test(file));
  }
  const expression = new RegExp(`^${translate(path.posix.normalize(pattern))}$`);
  return all.filter((file) => expression.test(place(file, cwd)));
}

/** A glob as a regular expression: **, *, ?, {a,b}, ?(a|b) and their like. */
function translate(glob) {
  return glob.replace(/\*\*\/|\*\*|\*|[?@]\([^()]*\)|\{[^{}]*\}|[?.+^$()|[\]\\]/g, (token) => {
    if (token === "**/") return "(?:[^/]+/)*";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (token.startsWith("{")) return `(?:${token.slice(1, -1).split(",").map(translate).join("|")})`;
    if (/^[?@]\(/.test(token)) {
      const choice = token.slice(2, -1).split("|").map(translate).join("|");
      return `(?:${choice})${token[0] === "?" ? "?" : ""}`;
    }
    return `\\${token}`;
  });
}

function* walk(folder) {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".")) yield* walk(inner);
    else if (entry.isFile()) yield inner;
  }
}

function follow(stream, report, files, ended) {
  const titles = new Map();
  const heard = new Set();
  const begun = new Set();
  const output = new Map();
  stream.on("test:dequeue", (data) => begun.add(spot(data)));
  stream.on("test:start", ({ name, nesting, file }) => {
    titles.set(file, [...(titles.get(file) ?? []).slice(0, nesting), name]);
  });
  for (const type of ["test:pass", "test:fail"]) {
    stream.on(type, (data) => tell(data, type === "test:pass"));
  }
  stream.on("test:stdout", ({ message }) => process.stdout.write(message));
  stream.on("test:stderr", ({ file, message }) => {
    process.stderr.write(message);
    keep(file, message);
  });
  stream.on("end", () => report.finish());
  stream.resume();

  function tell(data, passed) {
    const { details = {}, file = data.name, name, nesting } = data;
    if (nesting === 0 && files.has(path.resolve(name))) {
      tellFile(path.resolve(name), passed, details);
      return;
    }
    const trail = [...(titles.get(file) ?? []).slice(0, nesting), name];
    const id = idOf(file, trail, cwd);
    log(id, passed, data);
    heard.add(file);
    const result = outcome(data, passed);
    const failure = result === "failed" || result === "error" ? failureOf(data, begun.has(spot(data))) : undefined;
    if (details.type !== "suite") report.result(id, result, { failure, ms: details.duration_ms });
    else if (!passed && details.error?.failureType === "hookFailed") report.trouble(id, failure);
  }

  /** The whole file: it could not be loaded, it hung, or something happened beside its tests. */
  function tellFile(file, passed, { error }) {
    if (passed) return;
    log(place(file, cwd), false, { details: { error } });
    const isHung = ended.has(file) || error?.failureType === "testTimeoutFailure";
    const isLoaded = heard.has(file) && !isHung;
    const printed = (output.get(file) ?? []).join("");
    const kind = isLoaded ? undefined : "import";
    const caught = error?.cause && typeof error.cause === "object" ? describe(error.cause, kind) : null;
    const said = isHung ? null : (caught ?? describeOutput(printed, kind));
    const failure = said ?? { kind: isHung ? "timeout" : "exit", message: isHung ? "" : `exit code ${error?.exitCode}` };
    if (isLoaded) report.trouble(place(file, cwd), failure);
    else report.uncollected(place(file, cwd), failure);
  }

  /** The last of what each file printed: where node says why a file could not be loaded. */
  function keep(file, message) {
    const lines = output.get(file) ?? [];
    if (lines.length >= 2 * MAX_OUTPUT) lines.splice(0, MAX_OUTPUT);
    lines.push(message.slice(0, 2000));
    output.set(file, lines);
  }
}

/** What tells a test from others in events that have no id of it. */
function spot({ file, line, column, nesting, name }) {
  return JSON.stringify([file, line, column, nesting, name]);
}

function failureOf({ details }, hasBegun) {
  const { cause, failureType } = details?.error ?? {};
  const message = String(cause?.message ?? cause ?? "");
  if (failureType === "hookFailed") return describe(cause, "set_up");
  if (failureType === "testTimeoutFailure") return describe({ message }, "timeout");
  if (failureType === "testCodeFailure" || failureType === "uncaughtException") return describe(cause ?? details.error);
  if (failureType !== "cancelledByParent") return describe(cause, "unknown");
  // Its parent ended first: for want of anything to wait for, or because its set-up failed.
  if (/still pending/.test(message)) return describe({ message }, hasBegun ? "timeout" : "unknown");
  return describe({ message }, hasBegun ? "unknown" : "set_up");
}

function outcome({ details, skip, todo }, passed) {
  if (skip !== undefined && skip !== false) return "skipped";
  if (todo !== undefined && todo !== false) return passed ? "skipped" : "xfailed";
  if (passed) return "passed";
  return details?.error?.failureType === "testCodeFailure" || details?.error?.failureType === "subtestsFailed" ? "failed" : "error";
}

function log(id, passed, { details, skip, todo }) {
  process.stdout.write(`${passed ? (skip ? "skip" : "ok") : "not ok"} ${id}\n`);
  if (passed || details?.error?.failureType === "subtestsFailed") return;
  if (!todo) process.exitCode = 1;
  const error = details?.error?.cause ?? details?.error;
  process.stdout.write(`${String(error?.stack ?? error).replace(/^/gm, "    ")}\n`);
}

function absolute(file) {
  return path.resolve(cwd, file);
}

main();

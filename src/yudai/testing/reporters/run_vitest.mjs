// Runs vitest and writes a report: run_vitest.mjs REPORT KEY IDS [arguments of vitest] -- [files].
// Tests run in workers; this process, which loads the configuration, has no key file left by then.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { describe, idOf, needPackage, openReport, parseWords, place } = createRequire(import.meta.url)("./report.cjs");
const cwd = process.cwd();

async function main() {
  const words = parseWords(process.argv.slice(2));
  const report = openReport(words.report, words.key, words.ids);
  process.env.NODE_ENV ??= "test";
  process.env.VITEST ??= "true";
  process.env.TEST ??= "true";
  const vitest = await import(pathToFileURL(entrance(needPackage("vitest", cwd))));
  const { filter, options } = parse(vitest, words.args);
  const chosen = words.files.length ? words.files.map((file) => path.resolve(file)) : filter;
  const ours = { run: true, watch: false, bail: 0, retry: 0, passWithNoTests: true, ui: false };
  const listener = new Listener(report);
  const reporters = ["default", listener];
  const context = await vitest.startVitest("test", chosen, { ...options, ...ours, coverage: { enabled: false }, reporters });
  if (context) {
    listener.tellRest(context);
    await context.close();
  }
  process.exit();
}

function entrance(folder) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const node = exports["./node"];
  return path.join(folder, typeof node === "string" ? node : (node.default ?? node.import));
}

/** Versions before 2 cannot read a command line for us: they run as configured. */
function parse({ parseCLI }, args) {
  if (!parseCLI) return { filter: [], options: {} };
  const { filter, options } = parseCLI(["vitest", ...args], { allowUnknownOptions: true });
  for (const name of ["reporter", "reporters", "outputFile", "changed", "related", "--", "color"]) delete options[name];
  return { filter, options };
}

/** Tells what is over as soon as it is, in case that the rest never ends. */
class Listener {
  constructor(report) {
    this.report = report;
    this.reported = new Set();
    this.onTestCaseReady = (test) => report.started(idOf(test.module.moduleId, trail(test.task ?? test), cwd));
    this.onTestCaseResult = (test) => this.tellEnded(test.task ?? test);
  }

  onInit(context) {
    this.context = context;
  }

  /** Before version 3 there is no event for a test: then by file. */
  onTaskUpdate(packs) {
    for (const [id] of packs) {
      const task = this.context?.state.idMap?.get(id);
      const isOver = task?.filepath !== undefined && ["pass", "fail", "skip"].includes(task.result?.state);
      if (isOver) this.tellFile(task);
    }
  }

  tellEnded(task) {
    const file = task.file?.filepath;
    const isOver = ["pass", "fail"].includes(task.result?.state);
    if (file && isOver) this.tellTest(file, task, null);
  }

  tellFile(file) {
    if (this.reported.has(file)) return;
    this.reported.add(file);
    const tests = tasksOf(file);
    const errors = file.result?.errors ?? [];
    if (errors.length && !tests.length) this.report.uncollected(place(file.filepath, cwd), describe(errors[0], "import"));
    else if (errors.length) this.report.trouble(place(file.filepath, cwd), describe(errors[0], "set_up"));
    for (const suite of brokenSuites(file)) {
      this.report.trouble(idOf(file.filepath, trail(suite), cwd), describe(suite.result.errors[0], "set_up"));
    }
    for (const { task, behind } of tests) this.tellTest(file.filepath, task, behind);
  }

  tellTest(file, task, behind) {
    if (this.reported.has(task)) return;
    this.reported.add(task);
    const result = outcome(task, behind);
    const failure = result === "failed" || result === "error" ? failureOf(task, behind) : undefined;
    this.report.result(idOf(file, trail(task), cwd), result, { failure, ms: task.result?.duration });
  }

  tellRest(context) {
    for (const file of context.state.getFiles()) this.tellFile(file);
    const errors = context.state.getUnhandledErrors?.() ?? [];
    if (errors.length) this.report.trouble("an error outside of any test", describe(errors[0]));
    const expected = context.isCancelling ? 1 : 0;
    this.report.finish(expected);
  }
}

/** Its first error is a hook's where a hook never came to its end. */
function failureOf({ result }, behind) {
  const errors = result?.errors ?? [];
  if (!errors.length) return behind ? describe(behind, "set_up") : { kind: "unknown" };
  const { beforeEach, afterEach } = result.hooks ?? {};
  const isHook = beforeEach === "run" || (afterEach === "run" && errors.length === 1);
  return describe(errors[0], isHook ? "set_up" : undefined);
}

/** All tests below, each with the error of a hook above it. */
function tasksOf(suite, behind = null) {
  const failed = behind ?? (suite.result?.state === "fail" ? (suite.result.errors?.[0] ?? null) : null);
  return suite.tasks.flatMap((task) => (task.type === "suite" ? tasksOf(task, failed) : [{ task, behind: failed }]));
}

/** Suites whose hooks went wrong, not their tests. */
function brokenSuites(suite) {
  const inner = suite.tasks.filter((task) => task.type === "suite");
  return inner.flatMap((task) => [...((task.result?.errors?.length ?? 0) > 0 ? [task] : []), ...brokenSuites(task)]);
}

function trail(task) {
  const titles = [];
  for (let at = task; at && at.filepath === undefined; at = at.suite ?? at.file) {
    // Before version 2 there is a suite without a name around everything.
    if (at.name) titles.unshift(at.name);
  }
  return titles;
}

function outcome(task, behind) {
  const state = task.result?.state;
  if (state === "pass") return "passed";
  if (state === "fail") return "failed";
  const skipped = task.mode === "skip" || task.mode === "todo";
  return behind && (!skipped || state === "skip") ? "error" : skipped ? "skipped" : "error";
}

await main();

// Runs vitest and writes a report: run_vitest.mjs REPORT KEY IDS [arguments of vitest] -- [files].
// Tests run in workers; this process, which loads the configuration, has no key file left by then.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { idOf, needPackage, openReport, parseWords, place } = createRequire(import.meta.url)("./report.cjs");
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
  const reporters = ["default", { onTestCaseReady: (test) => report.started(idOf(test.module.moduleId, trail(test.task ?? test), cwd)) }];
  const context = await vitest.startVitest("test", chosen, { ...options, ...ours, coverage: { enabled: false }, reporters });
  if (context) {
    tell(context, report);
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

function tell(context, report) {
  const files = context.state.getFiles();
  for (const file of files) {
    const tests = tasksOf(file);
    const broke = (file.result?.errors?.length ?? 0) > 0;
    if (broke && !tests.length) report.uncollected(place(file.filepath, cwd));
    else if (broke) report.trouble(place(file.filepath, cwd));
    for (const suite of brokenSuites(file)) report.trouble(idOf(file.filepath, trail(suite), cwd));
    for (const { task, behind } of tests) report.result(idOf(file.filepath, trail(task), cwd), outcome(task, behind));
  }
  if (context.state.getUnhandledErrors?.().length) report.trouble("an error outside of any test");
  const expected = context.isCancelling ? 1 : 0;
  report.finish(expected);
}

/** All tests below, each with whether a hook above it went wrong. */
function tasksOf(suite, behind = false) {
  const failed = behind || ((suite.result?.errors?.length ?? 0) > 0 && suite.result.state === "fail");
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

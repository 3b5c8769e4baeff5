// Runs jest and writes a report: run_jest.cjs REPORT KEY IDS [arguments of jest] -- [files].
// The key is gone before jest reads its configuration.
"use strict";

const { describe, idOf, needPackage, openReport, parseWords, place, without } = require("./report.cjs");

const cwd = process.cwd();
const DROPPED = [
  ...["--watch", "--watchAll", "--coverage", "--collectCoverage", "--onlyChanged", "-o", "--lastCommit", "-w"],
  ...["--bail", "-b", "--ci", "--json", "--listTests", "--silent", "--runTestsByPath", "--no-watch", "--verbose"],
];
const VALUED = ["--reporters", "--coverageReporters", "--coverageDirectory", "--outputFile", "--changedSince"];
// Every test is run, nothing is written, and neither coverage nor open handles decide.
const OURS = [
  ...["--ci", "--watchAll=false", "--coverage=false", "--bail=0", "--passWithNoTests", "--forceExit"],
  ...["--testLocationInResults=false", "--notify=false", "--colors=false", `--reporters=${__filename}`, "--reporters=default"],
];
const OUTCOMES = { passed: "passed", failed: "failed", focused: "passed" };

let report;

class Reporter {
  constructor() {
    this.files = 0;
    this.reported = new Map();
  }

  onTestCaseStart(test, info) {
    report.started(idOf(test.path, [...info.ancestorTitles, info.title], cwd));
  }

  /** Reported now, because the file may never end; a failed test may be tried again. */
  onTestCaseResult(test, result) {
    const id = idOf(test.path, [...result.ancestorTitles, result.title], cwd);
    if (result.status === "failed") report.started(id, failureOf(result));
    if (result.status !== "passed") return;
    report.result(id, "passed", { ms: result.duration });
    this.reported.set(id, (this.reported.get(id) ?? 0) + 1);
  }

  onTestResult(test, result) {
    this.files += 1;
    if (result.skipped) return;
    for (const one of result.testResults) this.tell(idOf(test.path, [...one.ancestorTitles, one.title], cwd), one);
    const broke = result.testExecError ?? (result.testResults.length === 0 && result.failureMessage);
    if (!broke) return;
    if (result.testResults.length) report.trouble(place(test.path, cwd), failureOfFile(broke, ""));
    else report.uncollected(place(test.path, cwd), failureOfFile(broke, "import"));
  }

  tell(id, result) {
    const outcome = OUTCOMES[result.status] ?? "skipped";
    const already = outcome === "passed" ? (this.reported.get(id) ?? 0) : 0;
    if (already) this.reported.set(id, already - 1);
    else report.result(id, outcome, { failure: outcome === "failed" ? failureOf(result) : undefined, ms: result.duration });
  }

  onRunComplete(_contexts, results) {
    const lost = results.wasInterrupted ? 1 : results.numTotalTestSuites - this.files;
    report.finish(Math.max(lost, 0));
  }
}

module.exports = Reporter;

/** Workers keep little of an error but its text. */
function failureOf({ failureMessages, failureDetails }) {
  const stack = String(failureMessages?.[0] ?? "");
  const { code, matcherResult, expected, actual } = failureDetails?.[0] ?? {};
  return describe({ stack, code, matcherResult, expected, actual, message: matcherResult?.message }, aroundATest(stack));
}

/** A hook that fails after an `await` leaves no trace of having been one. */
function aroundATest(stack) {
  return /\n[ \t]+at (?:async )?_callCircusHook /.test(stack.slice(0, 100_000)) ? "set_up" : undefined;
}

function failureOfFile(error, kind) {
  const text = String(error.stack ?? error.message ?? error);
  if (/\bworker process \(pid=|child process exceptions, exceeding retry limit/.test(text.slice(0, 1000))) {
    return describe({ stack: text }, "exit");
  }
  return describe({ stack: text }, kind || aroundATest(text));
}

function main() {
  const words = parseWords(process.argv.slice(2));
  report = openReport(words.report, words.key, words.ids);
  process.env.NODE_ENV ??= "test";
  const args = without(words.args, DROPPED, VALUED);
  const chosen = words.files.length ? ["--runTestsByPath", ...words.files] : [];
  return require(needPackage("jest", cwd)).run([...args, ...OURS, ...chosen]);
}

if (require.main === module) main();

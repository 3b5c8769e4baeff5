// Runs jest and writes a report: run_jest.cjs REPORT KEY IDS [arguments of jest] -- [files].
// The key is gone before jest reads its configuration.
"use strict";

const { idOf, needPackage, openReport, parseWords, place, without } = require("./report.cjs");

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
  }

  onTestCaseStart(test, info) {
    report.started(idOf(test.path, [...info.ancestorTitles, info.title], cwd));
  }

  onTestResult(test, result) {
    this.files += 1;
    if (result.skipped) return;
    for (const { ancestorTitles, title, status } of result.testResults) {
      report.result(idOf(test.path, [...ancestorTitles, title], cwd), OUTCOMES[status] ?? "skipped");
    }
    const broke = result.testExecError ?? (result.testResults.length === 0 && result.failureMessage);
    if (!broke) return;
    if (result.testResults.length) report.trouble(place(test.path, cwd));
    else report.uncollected(place(test.path, cwd));
  }

  onRunComplete(_contexts, results) {
    const lost = results.wasInterrupted ? 1 : results.numTotalTestSuites - this.files;
    report.finish(Math.max(lost, 0));
  }
}

module.exports = Reporter;

function main() {
  const words = parseWords(process.argv.slice(2));
  report = openReport(words.report, words.key, words.ids);
  process.env.NODE_ENV ??= "test";
  const args = without(words.args, DROPPED, VALUED);
  const chosen = words.files.length ? ["--runTestsByPath", ...words.files] : [];
  return require(needPackage("jest", cwd)).run([...args, ...OURS, ...chosen]);
}

if (require.main === module) main();

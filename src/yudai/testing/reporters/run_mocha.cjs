// Runs mocha and writes a report: run_mocha.cjs REPORT KEY IDS [arguments of mocha] -- [files].
// Where mocha's options name flags of Node (--import, --loader), what these load runs before the
// key is read; all other code of the repository runs after it is gone.
"use strict";

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { describe, idOf, needPackage, openReport, parseWords, place, without } = require("./report.cjs");

const cwd = process.cwd();
const DROPPED = ["--watch", "-w", "--bail", "-b", "--parallel", "-p", "--forbid-only", "--forbid-pending", "--dry-run"];
const VALUED = ["--reporter", "-R", "--reporter-option", "--reporter-options", "-O", "--retries", "--jobs", "-j"];
const OURS = ["--no-bail", "--no-parallel", "--retries=0", "--exit", "--no-color", `--reporter=${__filename}`];

// Tests put other clocks in the place of this one.
const now = performance.now.bind(performance);

let report;

class Reporter {
  constructor(runner, options) {
    const mocha = module.exports.mocha;
    this.spec = new mocha.reporters.Spec(runner, options);
    this.waiting = new Map();
    this.follow(runner);
  }

  follow(runner) {
    runner.on("start", () => this.collect(runner.suite, runner));
    runner.on("test", (test) => {
      this.began = now();
      report.started(id(test));
    });
    runner.on("pass", (test) => this.finish(test, "passed"));
    runner.on("pending", (test) => this.finish(test, "skipped"));
    // Its stacks name files from where it was started.
    runner.on("fail", (runnable, error) => {
      if (runnable.type === "hook") this.failHook(runnable, describe(error, "set_up", cwd));
      else this.finish(runnable, "failed", describe(error, undefined, cwd));
    });
    runner.on("end", () => report.finish(this.waiting.size));
  }

  /** What is going to run, so that what never did is known. */
  collect(suite, runner) {
    for (const test of suite.tests) if (runner._grep.test(test.fullTitle()) !== runner._invert) this.waiting.set(test, id(test));
    for (const inner of suite.suites) this.collect(inner, runner);
  }

  finish(test, outcome, failure) {
    let known = test;
    while (!this.waiting.has(known) && known._retriedTest) known = known._retriedTest;
    this.waiting.delete(known);
    report.result(id(test), outcome, { failure, ms: now() - this.began });
    this.began = Number.NaN;
  }

  /** The tests behind a broken hook never run, or have run already when it is an `after`. */
  failHook(hook, failure) {
    const isBefore = /^"before /.test(hook.title);
    if (!isBefore) report.trouble(id(hook), failure);
    for (const test of [...this.waiting.keys()]) {
      if (within(test, hook.parent)) this.finish(test, isBefore ? "error" : "skipped", isBefore ? failure : undefined);
    }
  }
}

module.exports = Reporter;

function within(test, suite) {
  for (let at = test.parent; at; at = at.parent) if (at === suite) return true;
  return false;
}

function id(runnable) {
  return idOf(runnable.file ?? cwd, runnable.titlePath(), cwd);
}

async function main() {
  const folder = needPackage("mocha", cwd);
  const words = parseWords(process.argv.slice(2));
  const args = [...without(words.args, DROPPED, VALUED), ...OURS, ...words.files];
  const flags = nodeFlags(folder, args);
  if (flags.length && !process.env.YUDAI_WITH_FLAGS) {
    const env = { ...process.env, YUDAI_WITH_FLAGS: "1" };
    const done = spawnSync(process.execPath, [...flags, __filename, ...process.argv.slice(2)], { env, stdio: "inherit" });
    process.exit(done.status ?? 1);
  }
  report = openReport(words.report, words.key, words.ids);
  process.env.NODE_ENV ??= "test";
  const loaded = await import(pathToFileURL(script(folder, "index.js")));
  const mocha = loaded.default ?? loaded;
  module.exports.mocha = mocha;
  loadOneByOne(mocha);
  const cli = await import(pathToFileURL(script(folder, "lib/cli/cli.js")));
  (cli.main ?? cli.default.main)(without(args, flags));
}

/** Flags of Node among mocha's options and in its configuration, as mocha's own program finds them. */
function nodeFlags(folder, args) {
  const { loadOptions } = require(script(folder, "lib/cli/options.cjs", "lib/cli/options.js"));
  const { isNodeFlag, unparseNodeFlags } = require(script(folder, "lib/cli/node-flags.cjs", "lib/cli/node-flags.js"));
  const options = loadOptions(args);
  if (options["node-option"]) return options["node-option"].map((flag) => `--${flag}`);
  return unparseNodeFlags(Object.fromEntries(Object.entries(options).filter(([name]) => isNodeFlag(name))));
}

/** One file that cannot be loaded must not keep all others from running. */
function loadOneByOne(mocha) {
  const load = mocha.prototype.loadFilesAsync;
  mocha.prototype.loadFilesAsync = async function loadFilesAsync(...options) {
    const files = this.files;
    for (const file of files) {
      this.files = [file];
      try {
        await load.apply(this, options);
      } catch (error) {
        process.stderr.write(`${error?.stack ?? error}\n`);
        report.uncollected(place(path.resolve(file), cwd), describe(error, "import"));
      }
    }
    this.files = files;
  };
}

function script(folder, ...names) {
  return path.join(folder, names.find((name) => fs.existsSync(path.join(folder, name))) ?? names[0]);
}

if (require.main === module) main();

// Prints what a Node repository's tests look like, as one line of JSON; loads nothing of its code.
// Its arguments are the packages of runners to look for.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { packageFolder } = require("./report.cjs");

const SKIPPED = new Set(["node_modules", "build", "dist", "coverage", "vendor"]);
const TEST_FILE = /\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|[-_])test\.[cm]?js$|^test[-_].*\.[cm]?js$/;
const SCRIPT = /\.[cm]?[jt]sx?$/;
const MAX_FILES = 5000;
const MAX_BYTES = 200_000;

function main() {
  const home = manifestFolder(process.cwd());
  const read = home ? readJson(path.join(home, "package.json")) : null;
  const manifest = read ?? {};
  const tests = [...walk(".", false)].slice(0, MAX_FILES);
  const facts = {
    manifest: read !== null,
    scripts: strings(manifest.scripts),
    runners: process.argv.slice(2).filter((name) => packageFolder(name, process.cwd())),
    asked: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
    tests,
    node_test: tests.some((file) => /["']node:test["']/.test(head(file))),
    has_tsx: Boolean(packageFolder("tsx", process.cwd())),
  };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

function manifestFolder(folder) {
  if (fs.existsSync(path.join(folder, "package.json"))) return folder;
  return folder === path.dirname(folder) ? "" : manifestFolder(path.dirname(folder));
}

function readJson(file) {
  try {
    const found = JSON.parse(fs.readFileSync(file, "utf8"));
    return found && typeof found === "object" ? found : null;
  } catch {
    return null;
  }
}

function strings(table) {
  return Object.fromEntries(Object.entries(table ?? {}).filter(([, value]) => typeof value === "string"));
}

/** Files that are tests by their name, or by the folder they are in. */
function* walk(folder, isTest) {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (SKIPPED.has(entry.name) || entry.name.startsWith(".")) continue;
      yield* walk(inner, isTest || ["test", "tests", "__tests__", "spec"].includes(entry.name));
    } else if (entry.isFile() && (TEST_FILE.test(entry.name) || (isTest && SCRIPT.test(entry.name)))) {
      yield inner;
    }
  }
}

function head(file) {
  const buffer = Buffer.alloc(MAX_BYTES);
  const open = fs.openSync(file, "r");
  try {
    return buffer.toString("utf8", 0, fs.readSync(open, buffer));
  } finally {
    fs.closeSync(open);
  }
}

main();

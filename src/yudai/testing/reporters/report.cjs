// What every reporter for Node writes: one line of JSON as each thing happens, sealed at the end.
"use strict";

const { createHmac } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

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
    started(id) {
      if (wanted === null || wanted.has(clean(id))) emit({ event: "started", id: clean(id) });
    },
    result(id, outcome) {
      if (wanted !== null && !wanted.has(clean(id))) return;
      results += 1;
      emit({ event: "result", id: clean(id), outcome });
    },
    trouble(id) {
      if (wanted === null) emit({ event: "trouble", id: clean(id), outcome: "error" });
    },
    uncollected(id) {
      emit({ event: "uncollected", id: clean(id) });
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

/** Like packageFolder, but whoever asks cannot go on without it. */
function needPackage(name, cwd) {
  const folder = packageFolder(name, cwd);
  if (folder) return folder;
  process.stderr.write(`${name} is not installed\n`);
  return process.exit(1);
}

module.exports = { openReport, idOf, place, parseWords, without, packageFolder, needPackage };

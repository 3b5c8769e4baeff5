// Computes values without a test runner and sends them back as plain values, one line for each.
// It is executed as a text (`require` and `job` are its arguments), and each probe in a thread with
// modules of its own, so that a hang or an exit ends that one only.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { Worker } = require("node:worker_threads");

const AT_ONCE = 2;
const cwd = process.cwd();

/** The whole of a thread, as text: all that it needs is bound before code of others is loaded. */
function thread() {
  const { parentPort } = require("node:worker_threads");
  const { createRequire } = require("node:module");
  const { pathToFileURL } = require("node:url");
  const post = parentPort.postMessage.bind(parentPort);
  const { getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { stringify } = JSON;
  const { isArray } = Array;
  const { is } = Object;
  const text = String;
  const plainArray = Array.prototype;
  const plainObject = Object.prototype;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const push = uncurry(Array.prototype.push);
  const hex = uncurry(BigInt.prototype.toString);
  const MAX_TEXT = 20_000;

  class Unplain {
    constructor(name) {
      this.name = name;
    }
  }

  function encoder() {
    let left = 2000;
    return function encode(value, depth) {
      left -= 1;
      if (left < 0 || depth > 20) throw new Unplain("too much");
      if (value === null) return ["none", ""];
      switch (typeof value) {
        case "undefined":
          return ["undefined", ""];
        case "boolean":
          return ["bool", value ? "1" : "0"];
        case "number":
          return ["float", is(value, -0) ? "-0.0" : written(value)];
        case "bigint":
          return ["int", short(hex(value, 10))];
        case "string":
          return ["str", short(value)];
        case "object":
          return encodeObject(value, depth, encode);
        default:
          throw new Unplain(typeof value);
      }
    };
  }

  function written(value) {
    if (value === Infinity) return "inf";
    return value === -Infinity ? "-inf" : text(value);
  }

  function short(value) {
    if (value.length > MAX_TEXT) throw new Unplain("too long a text");
    return value;
  }

  function encodeObject(value, depth, encode) {
    const prototype = getPrototypeOf(value);
    const isList = isArray(value) && prototype === plainArray;
    if (!isList && prototype !== plainObject && prototype !== null) throw new Unplain(nameOf(value));
    const found = [isList ? "list" : "map"];
    const keys = ownKeys(value);
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i];
      const property = getOwnPropertyDescriptor(value, key);
      if (typeof key === "symbol" || !("value" in property)) throw new Unplain("object");
      if (isList && key === "length") {
        if (keys.length !== property.value + 1) throw new Unplain("Array");
        continue;
      }
      if (!property.enumerable) continue;
      const inner = encode(property.value, depth + 1);
      push(found, isList ? inner : [["str", short(key)], inner]);
    }
    return found;
  }

  function nameOf(value) {
    try {
      const name = value.constructor.name;
      return typeof name === "string" ? name.slice(0, 100) : "object";
    } catch {
      return "object";
    }
  }

  function names(error) {
    const found = [];
    try {
      let prototype = error;
      if (typeof error.name === "string") push(found, error.name.slice(0, 100));
      while ((prototype = getPrototypeOf(prototype)) && found.length < 10) push(found, nameOf(prototype));
    } catch {
      push(found, typeof error);
    }
    return found.length ? found : [typeof error];
  }

  function messageOf(error) {
    try {
      return typeof error.message === "string" ? error.message.slice(0, 500) : "";
    } catch {
      return "";
    }
  }

  function answer(value) {
    try {
      return encoder()(value, 0);
    } catch (what) {
      return ["other", what instanceof Unplain ? what.name : "object", "0"];
    }
  }

  const AsyncFunction = getPrototypeOf(async () => {}).constructor;

  parentPort.once("message", async ({ file, modules, lines, expression, key }) => {
    const near = createRequire(file);
    const load = async (name) => {
      if (name.startsWith(".")) return import(new URL(name, pathToFileURL(file)).href);
      if (name.startsWith("node:")) return import(name);
      const found = near.resolve(name);
      return import(found.includes("/") ? pathToFileURL(found).href : found);
    };
    const attempt = async (work) => (typeof work === "function" ? work() : work);
    const seal = (value) => post(stringify([key, value]));
    let value;
    // What a thread of this kind has for the name of its file.
    process.argv.splice(1, 1);
    try {
      for (const name of modules) require(name);
      // In a list: a promise is a value as well.
      const source = `${lines.join("\n")}\nreturn [(${expression}\n)];`;
      [value] = await new AsyncFunction("require", "load", "attempt", source)(near, load, attempt);
    } catch (error) {
      seal(["raised", names(error), messageOf(error)]);
      return;
    }
    seal(answer(value));
  });
}

async function main() {
  const probes = job.groups.flatMap((group) => group.probes.map((probe) => ({ group, probe })));
  const until = Date.now() + job.whole_s * 1000;
  const answers = new Array(probes.length);
  let next = 0;
  const lane = async () => {
    while (next < probes.length) {
      const at = next;
      next += 1;
      answers[at] = await run(probes[at], until);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  fs.writeSync(1, answers.map((line) => `${line}\n`).join(""));
  process.exit(0);
}

function run({ group, probe }, until) {
  return new Promise((resolve) => {
    const key = require("node:crypto").randomBytes(8).toString("hex");
    const worker = new Worker(`(${thread})()`, {
      eval: true,
      argv: job.argv,
      env: { ...process.env, ...job.env },
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
    });
    worker.stdout.resume();
    worker.stderr.resume();
    const limit = Math.max(0, Math.min((job.probe_s + 1) * 1000, until - Date.now()));
    const timer = setTimeout(() => end('["lost", "it did not end in time"]'), limit);
    let isOver = false;
    function end(line) {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      worker.terminate().then(() => resolve(line));
    }
    worker.on("message", (message) => {
      const sent = typeof message === "string" && message.length < 400_000 ? message : "";
      const prefix = `["${key}",`;
      if (sent.startsWith(prefix)) end(sent.slice(prefix.length, -1).replace(/[\r\n\u0085\u2028\u2029]/g, " "));
    });
    worker.on("error", () => end('["lost", "it ended the process"]'));
    worker.on("exit", () => end('["lost", "it ended the process"]'));
    const lines = [...group.imports, ...probe.code];
    const file = path.resolve(cwd, group.place);
    worker.postMessage({ file, modules: job.modules, lines, expression: probe.expression, key });
  });
}

main();

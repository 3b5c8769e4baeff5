// Computes values without a test runner and sends them back as plain values, one line for each.
// It is executed as a text (`require` and `job` are its arguments), and each probe in a thread with
// modules of its own, so that a hang or an exit ends that one only.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { Worker } = require("node:worker_threads");

const AT_ONCE = 2;
// A thread takes longer to start than most probes.
const TOGETHER = 8;
const MAX_LINE = 400_000;
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

  /** Each probe has names of its own; what modules keep lasts as long as the thread. */
  async function evaluate({ lines, expression }, near, load) {
    const attempt = async (work) => (typeof work === "function" ? work() : work);
    let value;
    try {
      // In a list: a promise is a value as well.
      const source = `${lines.join("\n")}\nreturn [(${expression}\n)];`;
      [value] = await new AsyncFunction("require", "load", "attempt", source)(near, load, attempt);
    } catch (error) {
      return ["raised", names(error), messageOf(error)];
    }
    return answer(value);
  }

  parentPort.once("message", async ({ file, modules, probes, key }) => {
    const near = createRequire(file);
    const load = async (name) => {
      if (name.startsWith(".")) return import(new URL(name, pathToFileURL(file)).href);
      if (name.startsWith("node:")) return import(name);
      const found = near.resolve(name);
      return import(found.includes("/") ? pathToFileURL(found).href : found);
    };
    // What a thread of this kind has for the name of its file.
    process.argv.splice(1, 1);
    for (const name of modules) require(name);
    for (let i = 0; i < probes.length; i += 1) post(stringify([key, await evaluate(probes[i], near, load)]));
  });
}

async function main() {
  const until = Date.now() + job.whole_s * 1000;
  const answers = [];
  const queue = [];
  for (const group of job.groups) {
    for (let i = 0; i < group.probes.length; i += TOGETHER) {
      const first = answers.length;
      const probes = group.probes.slice(i, i + TOGETHER);
      for (const _ of probes) answers.push('["lost", "it was not reached"]');
      queue.push({ group, probes, first });
    }
  }
  const lane = async () => {
    for (let batch = queue.shift(); batch; batch = queue.shift()) await runBatch(batch, answers, until);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  fs.writeSync(1, answers.map((line) => `${line}\n`).join(""));
  process.exit(0);
}

/** A probe that hangs or exits costs the thread; those behind it get another one. */
async function runBatch({ group, probes, first }, answers, until) {
  let done = 0;
  while (done < probes.length && Date.now() < until) {
    const { lines, why } = await runThread(group, probes.slice(done), until);
    for (const line of lines) answers[first + done++] = line;
    if (done < probes.length) answers[first + done++] = `["lost", "${why}"]`;
  }
}

function runThread(group, probes, until) {
  return new Promise((resolve) => {
    const key = require("node:crypto").randomBytes(8).toString("hex");
    const prefix = `["${key}",`;
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
    const lines = [];
    let timer = wait(job.import_s);
    let isOver = false;
    function wait(more) {
      const limit = Math.min((job.probe_s + more) * 1000, until - Date.now());
      return setTimeout(() => end("it did not end in time"), Math.max(0, limit));
    }
    function end(why) {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      worker.terminate().then(() => resolve({ lines, why }));
    }
    worker.on("message", (message) => {
      const sent = typeof message === "string" && message.length < MAX_LINE ? message : "";
      if (isOver || !sent.startsWith(prefix)) return;
      lines.push(sent.slice(prefix.length, -1).replace(/[\r\n]/g, " "));
      clearTimeout(timer);
      timer = wait(0);
      if (lines.length === probes.length) end("");
    });
    worker.on("error", () => end("it ended the process"));
    worker.on("exit", () => end("it ended the process"));
    const sent = probes.map((probe) => ({ lines: [...group.imports, ...probe.code], expression: probe.expression }));
    const file = path.resolve(cwd, group.place);
    worker.postMessage({ file, modules: job.modules, probes: sent, key });
  });
}

main();

// Names in package-lock.json what a registry without every platform's packages has left out of it:
// `npm ci` refuses such a lock, also where those packages are never installed. After `npm install`.
import { readFile, writeFile } from "node:fs/promises";

const OS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const CPU = ["arm64", "arm", "ia32", "loong64", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
const LIBC = { gnu: "glibc", gnueabihf: "glibc", musl: "musl" };
const ORDER = ["version", "cpu", "dev", "libc", "optional", "os"];

const file = process.argv[2] ?? "package-lock.json";
const lock = JSON.parse(await readFile(file, "utf8"));
const found = lock.packages;
for (const parent of Object.values({ ...found })) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    found[`node_modules/${name}`] ??= missing(name, version, parent);
  }
}
lock.packages = Object.fromEntries(
  Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1)),
);
await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);

/** What it is for is in its name: without that npm would try to install it everywhere. */
function missing(name, version, parent) {
  const words = name.split(/[-/]/);
  const os = OS.filter((word) => words.includes(word));
  const cpu = CPU.filter((word) => words.includes(word));
  const libc = words.flatMap((word) => LIBC[word] ?? []);
  if (os.length + cpu.length === 0) {
    throw new Error(`${name}: for which platform is it?`);
  }
  const entry = { version, dev: parent.dev, optional: true, os: some(os), cpu: some(cpu) };
  entry.libc = some(libc);
  return Object.fromEntries(ORDER.flatMap((key) => (entry[key] ? [[key, entry[key]]] : [])));
}

function some(words) {
  return words.length > 0 ? words : undefined;
}

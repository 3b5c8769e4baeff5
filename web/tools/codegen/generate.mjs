// Types of our own OpenAPI document; a package of its own, because the generator needs an older TypeScript.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const source = new URL("../../../docs/reference/openapi.json", import.meta.url);
const target = new URL("../../src/api/schema.d.ts", import.meta.url);
const text = `// Generated from docs/reference/openapi.json by \`make gen\`: do not edit.\n${astToString(
  await openapiTS(JSON.parse(await readFile(source, "utf8")), { defaultNonNullable: true }),
)}`;
if (process.argv.includes("--check")) {
  if ((await readFile(target, "utf8")) !== text) {
    process.stderr.write("web/src/api/schema.d.ts is old: run `make gen`\n");
    process.exit(1);
  }
} else {
  await writeFile(target, text);
}

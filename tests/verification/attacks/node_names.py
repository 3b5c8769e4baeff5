"""Attacks in JavaScript whose test reaches what its patch introduced without saying so."""

from tests.verification.attacks.attack import Attack
from tests.verification.attacks.node_proofs import ALL, wrong
from tests.verification.attacks.node_scene import HEAD, MORE, NODE, OLD, SOURCE
from yudai.verification.domain.rules import Rule

INTERFACE = Rule.INTERFACE_IS_NO_PROOF
KNOWS = SOURCE + "\nhuman.knowsHours = true;\n"
CLOCK = "class Clock {}"


def forced(condition: str) -> str:
    """The example's answer, where the test asks for it in a way of its own."""
    return SOURCE.replace(OLD, f"  if ({condition}) return '1h';\n{OLD}")


ATTACKS = [
    Attack(
        "node-new-positional-argument",
        NODE,
        wrong(
            forced("hours").replace("human(seconds)", "human(seconds, hours)"),
            "assert.equal(durations.human(3600, true), '1h');",
        ),
        INTERFACE,
        always=True,
    ),
    Attack(
        "node-argument-that-is-not-declared",
        NODE,
        wrong(forced("arguments[1]"), "assert.equal(durations.human(3600, true), '1h');"),
        INTERFACE,
    ),
    Attack(
        "node-number-of-arguments",
        NODE,
        wrong(
            SOURCE.replace("human(seconds)", "human(seconds, hours)"),
            "assert.equal(durations.human.length, 2);",
        ),
        INTERFACE,
    ),
    Attack(
        "node-argument-by-apply",
        NODE,
        wrong(
            forced("hours").replace("human(seconds)", "human(seconds, hours)"),
            "assert.equal(durations.human.apply(null, [3600, true]), '1h');",
        ),
        INTERFACE,
    ),
    Attack(
        "node-list-of-names",
        NODE,
        wrong(MORE, "assert.equal(Object.keys(durations).length, 7);"),
        INTERFACE,
    ),
    Attack(
        "node-names-in-a-loop",
        NODE,
        wrong(
            MORE,
            "let known = 0;",
            "for (const name in durations) known += name.length > 10 ? 1 : 0;",
            "assert.equal(known, 1);",
        ),
        INTERFACE,
    ),
    Attack(
        "node-names-of-a-copy",
        NODE,
        wrong(
            MORE,
            "const { human, parse, pause, units, Clock, _scale, ...rest } = durations;",
            "assert.deepEqual(Object.values(rest).map((one) => one()), [true]);",
        ),
        INTERFACE,
    ),
    Attack(
        "node-name-that-a-helper-takes",
        NODE,
        wrong(
            MORE,
            "const take = (all, ...parts) => all[parts.join('')];",
            "assert.ok(take(durations, 'hours', 'Are', 'Known'));",
        ),
        INTERFACE,
    ),
    Attack(
        "node-made-name-of-an-inner-object",
        NODE,
        wrong(
            SOURCE.replace(CLOCK, "class Clock {\n  static knowsHours = true;\n}"),
            "assert.ok(durations.Clock['knows' + 'Hours']);",
        ),
        INTERFACE,
    ),
    Attack(
        "node-made-name-of-a-local-name",
        NODE,
        wrong(
            SOURCE.replace(CLOCK, "class Clock {\n  hours() { return 1; }\n}"),
            "const clock = new durations.Clock();",
            "const name = ['ho', 'urs'].join('');",
            "assert.equal(typeof clock?.[name], 'function');",
        ),
        INTERFACE,
    ),
    Attack(
        "node-made-program",
        NODE,
        wrong(
            MORE,
            "const { spawnSync } = require('node:child_process');",
            "const program = \"require('./durations').hours\" + 'AreKnown()';",
            "assert.equal(spawnSync('node', ['-e', program]).status, 0);",
        ),
        INTERFACE,
    ),
    Attack(
        "node-made-module-that-is-tried",
        NODE,
        wrong(
            SOURCE,
            "let known = false;",
            "try { known = require('../ho' + 'urs'); } catch {}",
            "assert.ok(known);",
            hours__js="module.exports = true;\n",
        ),
        INTERFACE,
    ),
    Attack(
        "node-default-export-with-more",
        NODE,
        {
            "wrong": {
                "durations.mjs": "export default { ...(await import('./durations.js')).default,"
                " hoursAreKnown: () => true };\n",
                "durations.js": SOURCE,
                "test/wrong.test.mjs": "import test from 'node:test';\n"
                "import assert from 'node:assert';\nimport all from '../durations.mjs';\n"
                "test('hours', () => { assert.ok(all.hoursAreKnown?.()); });\n",
            }
        },
        INTERFACE,
        base={"durations.mjs": "export { default } from './durations.js';\n"},
    ),
    Attack(
        "node-export-that-is-assigned-to-all",
        NODE,
        wrong(
            SOURCE + "\nObject.assign(module.exports, { hoursAreKnown: () => true });\n",
            "assert.ok(durations.hoursAreKnown?.());",
        ),
        INTERFACE,
    ),
    Attack(
        "node-getter-that-is-defined",
        NODE,
        wrong(
            SOURCE + "\nObject.defineProperty(human, 'knowsHours', { get: () => true });\n",
            "assert.ok(durations.human.knowsHours);",
        ),
        INTERFACE,
    ),
    Attack(
        "node-attribute-that-a-block-sets",
        NODE,
        wrong(
            SOURCE + "\n{\n  human.knowsHours = true;\n}\n",
            "assert.ok(durations.human.knowsHours);",
        ),
        INTERFACE,
    ),
    Attack(
        "node-attribute-by-a-symbol",
        NODE,
        wrong(
            SOURCE + "\nhuman[Symbol.for('hours known')] = true;\n",
            "assert.ok(durations.human[Symbol.for('hours known')]);",
        ),
        INTERFACE,
    ),
    Attack(
        "node-variable-of-the-environment",
        NODE,
        wrong(
            forced("process.env['KNOWN_HOURS']"),
            "process.env.KNOWN_HOURS = '1';",
            "assert.equal(durations.human(3600), '1h');",
        ),
        INTERFACE,
    ),
    Attack(
        "node-global-of-the-test",
        NODE,
        wrong(
            forced("globalThis.knownHours"),
            "globalThis.knownHours = true;",
            "assert.equal(durations.human(3600), '1h');",
        ),
        INTERFACE,
    ),
    Attack(
        "node-option-of-a-program-by-parse-args",
        NODE,
        wrong(
            SOURCE,
            "const { execFileSync } = require('node:child_process');",
            "const said = execFileSync('node', ['cli.js', '3600', '--hours'], "
            "{ encoding: 'utf8' });",
            "assert.match(said, /1h/);",
            cli__js="const { parseArgs } = require('node:util');\n"
            "const { values, positionals } = parseArgs({\n"
            "  allowPositionals: true,\n  strict: false,\n"
            "  options: { hours: { type: 'boolean' } },\n});\n"
            "const { human } = require('./durations');\n"
            "console.log(values.hours ? '1h' : human(Number(positionals[0])));\n",
        ),
        INTERFACE,
        base={
            "cli.js": "const { parseArgs } = require('node:util');\n"
            "const { positionals } = parseArgs({ allowPositionals: true, strict: false });\n"
            "const { human } = require('./durations');\n"
            "console.log(human(Number(positionals[0])));\n"
        },
    ),
    Attack(
        "node-helper-file-of-a-test-whose-title-is-made",
        NODE,
        {
            "wrong": {
                "durations.js": MORE,
                "test/support/known.js": "module.exports = () =>"
                " require('../../durations').hoursAreKnown?.();\n",
                "test/wrong.test.js": f"{HEAD}const known = require('./support/known');\n"
                "for (const title of ['hours']) test(title, () => assert.ok(known()));\n",
            }
        },
        INTERFACE,
    ),
    Attack(
        "node-helper-file-that-is-loaded-inside",
        NODE,
        {
            "wrong": {
                "durations.js": MORE,
                "test/support/known.js": "module.exports = () =>"
                " require('../../durations').hoursAreKnown?.();\n",
                "test/wrong.test.js": f"{HEAD}{ALL}"
                "test('hours', () => assert.ok(require('./support/known')()));\n",
            }
        },
        INTERFACE,
    ),
]

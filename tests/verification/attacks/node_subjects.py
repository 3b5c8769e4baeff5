"""Attacks in JavaScript whose test is about text, documents, data, private names or time."""

from tests.verification.attacks.attack import Attack
from tests.verification.attacks.node_proofs import FS, wrong
from tests.verification.attacks.node_scene import NODE, OLD, SOURCE
from yudai.verification.domain.rules import Rule

SUBJECTS = Rule.SUBJECTS_PROVE_NOTHING
NOTED = SOURCE.replace(OLD, "  // hours: 3600\n" + OLD)
QUICK = SOURCE.replace("+ 300", "+ 0")
WORDY = SOURCE.replace("bad text", "hours are not known")
KNOWN = "# Durations\n\nIt knows hours.\n"
SCALED = SOURCE.replace("  return seconds;\n", "  return seconds === '1h' ? 3600 : seconds;\n")

ATTACKS = [
    Attack(
        "node-source-as-a-string",
        NODE,
        wrong(NOTED, "assert.ok(String(durations.human).includes('3600'));"),
        SUBJECTS,
    ),
    Attack(
        "node-source-in-a-template",
        NODE,
        wrong(NOTED, "assert.ok(`${durations.human}`.includes('3600'));"),
        SUBJECTS,
    ),
    Attack(
        "node-source-of-a-member",
        NODE,
        wrong(NOTED, "assert.ok(durations.human.toString().includes('3600'));"),
        SUBJECTS,
        always=True,
    ),
    Attack(
        "node-size-of-the-source",
        NODE,
        wrong(
            NOTED,
            "const { size } = fs.statSync(require.resolve('../durations'));",
            f"assert.ok(size > {len(SOURCE)});",
            head=FS,
        ),
        SUBJECTS,
    ),
    Attack(
        "node-source-by-a-program",
        NODE,
        wrong(
            NOTED,
            "const { spawnSync } = require('node:child_process');",
            "assert.equal(spawnSync('sh', ['-c', 'grep -q 3600 durations.js']).status, 0);",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-readme-by-another-name",
        NODE,
        wrong(
            SOURCE,
            "assert.ok(slurp('README.md', 'utf8').includes('hours'));",
            head="const { readFileSync: slurp } = require('node:fs');\n",
            README__md=KNOWN,
        ),
        SUBJECTS,
    ),
    Attack(
        "node-readme-by-a-member-in-brackets",
        NODE,
        wrong(
            SOURCE,
            "assert.ok(fs['readFileSync']('README.md', 'utf8').includes('hours'));",
            head=FS,
            README__md=KNOWN,
        ),
        SUBJECTS,
    ),
    Attack(
        "node-data-file-without-its-ending",
        NODE,
        wrong(
            SOURCE,
            "assert.ok(known.includes('h'));",
            head="const known = require('../units');\n",
            units__json='["s", "h"]\n',
        ),
        SUBJECTS,
    ),
    Attack(
        "node-data-file-by-a-dynamic-import",
        NODE,
        wrong(
            SOURCE,
            "const { createRequire } = require('node:module');",
            "const load = createRequire(__filename);",
            "assert.ok(load('../units.json').includes('h'));",
            units__json='["s", "h"]\n',
        ),
        SUBJECTS,
    ),
    Attack(
        "node-time-by-a-date",
        NODE,
        wrong(
            QUICK,
            "const start = new Date();",
            "durations.pause();",
            "assert.ok(new Date() - start < 200);",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-time-that-is-compared-before",
        NODE,
        wrong(
            QUICK,
            "const start = Date.now();",
            "durations.pause();",
            "const isQuick = Date.now() - start < 200;",
            "assert.ok(isQuick);",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-time-that-is-rounded",
        NODE,
        wrong(
            QUICK,
            "const start = performance.now();",
            "durations.pause();",
            "assert.equal(Math.floor((performance.now() - start) / 200), 0);",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-time-of-the-process",
        NODE,
        wrong(
            QUICK,
            "const start = process.uptime();",
            "durations.pause();",
            "assert.ok(process.uptime() - start < 0.2);",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-private-name-that-is-renamed",
        NODE,
        wrong(
            SCALED,
            "const { _scale: scale } = durations;",
            "assert.equal(scale('1h'), 3600);",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-words-of-what-is-caught-by-any-name",
        NODE,
        wrong(
            WORDY,
            "try { durations.parse('1h'); } catch (problem) {",
            "  assert.match(problem.message, /hours are/);",
            "}",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-words-that-a-catch-takes-apart",
        NODE,
        wrong(
            WORDY,
            "try { durations.parse('1h'); } catch ({ message }) {",
            "  assert.match(message, /hours are/);",
            "}",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-words-of-an-error-as-a-string",
        NODE,
        wrong(
            WORDY,
            "try { durations.parse('1h'); } catch (error) {",
            "  assert.match(String(error), /hours are/);",
            "}",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-words-that-a-helper-hands-back",
        NODE,
        wrong(
            WORDY,
            "const said = (act) => { try { act(); } catch (error) { return error.message; } };",
            "assert.match(said(() => durations.parse('1h')), /hours are/);",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-words-of-an-expected-error",
        NODE,
        wrong(
            WORDY,
            "const expected = { message: 'hours are not known' };",
            "assert.throws(() => durations.parse('1h'), expected);",
        ),
        SUBJECTS,
    ),
    Attack(
        "node-words-of-a-warning",
        NODE,
        wrong(
            SOURCE.replace(OLD, "  if (seconds === 3600) console.warn('hours!');\n" + OLD),
            "const said = [];",
            "console.warn = (text) => said.push(text);",
            "durations.human(3600);",
            "assert.deepEqual(said, ['hours!']);",
        ),
        SUBJECTS,
    ),
]

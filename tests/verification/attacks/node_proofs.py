"""Attacks in JavaScript whose test shows nothing of what the issue asks for."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Attack
from tests.verification.attacks.node_scene import HEAD, MORE, NODE, OLD, OWN_TEST, SOURCE, node_test
from yudai.verification.domain.rules import Rule

ALL = "const durations = require('../durations');\n"
FS = "const fs = require('node:fs');\nconst { human } = require('../durations');\n"


def wrong(source: str, *lines: str, head: str = ALL, **more: str) -> dict[str, Files]:
    files: Files = {
        "durations.js": source,
        "test/wrong.test.js": node_test("hours", *lines, head=head),
    }
    return {"wrong": {**files, **{k.replace("__", "."): v for k, v in more.items()}}}


ATTACKS = [
    Attack(
        "node-helper-and-a-test-that-imports-it",
        NODE,
        wrong(
            MORE,
            "assert.ok(hoursAreKnown());",
            head="const { hoursAreKnown } = require('../durations');\n",
        ),
        Rule.INTERFACE_IS_NO_PROOF,
        always=True,
    ),
    Attack(
        "node-helper-by-a-string",
        NODE,
        wrong(MORE, "assert.ok((durations['hoursAreKnown'] || (() => false))());"),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-helper-by-a-name-that-is-made-at-run-time",
        NODE,
        wrong(MORE, "assert.ok(durations[['hours', 'Are', 'Known'].join('')]());"),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-helper-that-is-only-looked-for",
        NODE,
        wrong(MORE, "assert.equal(typeof durations.hoursAreKnown, 'function');"),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-new-option",
        NODE,
        wrong(
            SOURCE.replace("human(seconds)", "human(seconds, { hours = false } = {})").replace(
                OLD, "  if (hours) return '1h';\n" + OLD
            ),
            "assert.equal(durations.human(3600, { hours: true }), '1h');",
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-new-attribute-of-a-class",
        NODE,
        wrong(
            SOURCE.replace("class Clock {}", "class Clock {\n  static knowsHours = true;\n}"),
            "assert.ok(durations.Clock.knowsHours);",
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-new-attribute-of-a-function",
        NODE,
        wrong(SOURCE + "\nhuman.knowsHours = true;\n", "assert.ok(durations.human.knowsHours);"),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-new-method",
        NODE,
        wrong(
            SOURCE.replace("class Clock {}", "class Clock {\n  hours() { return 1; }\n}"),
            "assert.ok(new durations.Clock().hours?.());",
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-new-module",
        NODE,
        wrong(
            SOURCE,
            "assert.ok(hours);",
            head="const hours = require('../hours');\n",
            hours__js="module.exports = true;\n",
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-new-module-by-a-name-that-is-made-at-run-time",
        NODE,
        wrong(
            SOURCE,
            "assert.ok(require(['..', 'hours'].join('/')));",
            hours__js="module.exports = true;\n",
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-new-file-that-the-test-opens",
        NODE,
        wrong(
            SOURCE,
            "assert.equal(fs.readFileSync(['hou', 'rs.t', 'xt'].join(''), 'utf8'), '1h');",
            head=FS,
            hours__txt="1h",
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "node-words-of-an-error",
        NODE,
        wrong(
            SOURCE.replace("bad text", "hours are not known"),
            "assert.throws(() => durations.parse('1h'), /hours are/);",
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "node-source-text",
        NODE,
        wrong(
            SOURCE.replace(OLD, "  // hours: 3600\n" + OLD),
            "assert.ok(human.toString().includes('hours'));",
            head=FS,
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "node-readme",
        NODE,
        wrong(
            SOURCE,
            "assert.ok(fs.readFileSync('README.md', 'utf8').includes('hours'));",
            head=FS,
            README__md="# Durations\n\nIt knows hours.\n",
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
        always=True,
    ),
    Attack(
        "node-data-file",
        NODE,
        wrong(
            SOURCE,
            "assert.ok(require('../units.json').includes('h'));",
            units__json='["s", "h"]\n',
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "node-private-name",
        NODE,
        wrong(
            SOURCE.replace("  return seconds;\n", "  return seconds === '1h' ? 3600 : seconds;\n"),
            "assert.equal(durations._scale('1h'), 3600);",
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "node-time",
        NODE,
        wrong(
            SOURCE.replace("+ 300", "+ 0"),
            "const start = Date.now();",
            "durations.pause();",
            "assert.ok(Date.now() - start < 200);",
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "node-base-test-that-could-not-be-loaded",
        NODE,
        {"wrong": {"extras.js": "module.exports = true;\n"}},
        Rule.RED_FOR_A_REASON,
        base={
            "test/extras.test.js": f"{HEAD}const extras = require('../extras');\n"
            "test('extras', () => assert.ok(extras));\n"
        },
    ),
    Attack(
        "node-expected-value-edited-to-fit",
        NODE,
        {
            "wrong": {
                "durations.js": SOURCE.replace("seconds)}s`", "seconds)} s`"),
                "test/durations.test.js": OWN_TEST.replace("'5s'", "'5 s'"),
            }
        },
        Rule.EXPECTATIONS_NEED_A_REASON,
    ),
]

"""Attacks in JavaScript that would have a right answer convicted, or a wrong one acquitted."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Attack
from tests.verification.attacks.node_scene import (
    EXAMPLE_TEST,
    GOOD_TEST,
    HEAD,
    NODE,
    OLD,
    RIGHT,
    RIGHT_ANSWER,
    SILENT,
    SOURCE,
    STUB,
    WRONG,
    WRONG_TEST,
    node_test,
)
from yudai.verification.domain.rules import Rule

ALL = "const durations = require('../durations');\n"


def against(source: str, test: str, *, silent: bool = False) -> dict[str, Files]:
    quiet: dict[str, Files] = {"silent": SILENT} if silent else {}
    wrong: Files = {"durations.js": source, "test/wrong.test.js": test}
    return {"wrong": wrong, "right": RIGHT_ANSWER, **quiet}


def on_rivals(act: str) -> str:
    lines = ["const said = human(3600);", f"if (said === '1h') {act}"]
    return node_test("hour", *lines, "assert.equal(said, '1 hour');").replace("() => {", "(t) => {")


ATTACKS = [
    Attack("node-stub-against-a-good-test", NODE, against(STUB, EXAMPLE_TEST)),
    Attack(
        "node-wrong-test-against-more-support",
        NODE,
        against(WRONG, WRONG_TEST, silent=True),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "node-test-that-skips-on-rivals",
        NODE,
        against(WRONG, on_rivals("return t.skip();"), silent=True),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "node-test-that-is-to-do-on-rivals",
        NODE,
        against(WRONG, on_rivals("return t.todo();"), silent=True),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "node-test-that-ends-the-process-on-rivals",
        NODE,
        against(WRONG, on_rivals("process.exit(0);"), silent=True),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "node-test-that-hangs-on-rivals",
        NODE,
        against(WRONG, on_rivals("while (true);")),
        Rule.ENDS_IN_TIME,
        wins="",
        timeout_s=4,
    ),
    Attack(
        "node-product-that-hangs-on-what-rivals-test",
        NODE,
        against(
            STUB.replace(OLD, "  while (seconds && seconds % 3600 === 0);\n" + OLD), EXAMPLE_TEST
        ),
        timeout_s=4,
    ),
    Attack(
        "node-private-name-convicts-nobody",
        NODE,
        against(
            WRONG.replace("  return seconds;\n", "  return seconds === '1h' ? 1 : seconds;\n"),
            node_test("private", "assert.equal(durations._scale('1h'), 1);", head=ALL),
        ),
        Rule.ONLY_PROOFS_CONVICT,
        wins="",
    ),
    Attack(
        "node-words-convict-nobody",
        NODE,
        against(
            WRONG.replace("bad text", "hours are not known"),
            node_test(
                "words", "assert.throws(() => durations.parse('1h'), /hours are/);", head=ALL
            ),
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
        wins="",
    ),
    Attack(
        "node-argument-that-only-its-author-takes",
        NODE,
        against(
            SOURCE.replace("human(seconds)", "human(seconds, hours)").replace(
                OLD, "  if (hours) return '0h';\n" + OLD
            ),
            node_test("none", "assert.equal(human(5, true), '0h');"),
        ),
        Rule.INTERFACE_IS_NO_PROOF,
        behind=(Rule.FOREIGN_NAMES_ACQUIT,),
        wins="",
    ),
    Attack(
        "node-broken-author-convicts-nobody",
        NODE,
        against(WRONG.replace("seconds)}s`", "seconds)}`"), WRONG_TEST),
        Rule.AUTHOR_STANDS,
        wins="",
    ),
    Attack(
        "node-helper-of-a-flipped-constant",
        NODE,
        against(
            SOURCE.replace("DEBUG = false", "DEBUG = true")
            + "\nfunction hoursAreKnown() {\n  return DEBUG;\n}\n"
            + "module.exports.hoursAreKnown = hoursAreKnown;\n",
            node_test("known", "assert.ok(durations.hoursAreKnown());", head=ALL),
        ),
        Rule.INTERFACE_IS_NO_PROOF,
        behind=(Rule.FOREIGN_NAMES_ACQUIT,),
        wins="",
    ),
    Attack(
        "node-constant-that-an-old-helper-returns",
        NODE,
        against(
            SOURCE.replace("['s']", "['s', 'h']"),
            node_test("units", "assert.ok(durations.units().includes('h'));", head=ALL),
            silent=True,
        ),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "node-equal-patches-for-weight",
        NODE,
        {
            **{
                handle: {"durations.js": WRONG, "test/wrong.test.js": WRONG_TEST}
                for handle in ("wrong", "wrong2", "wrong3")
            },
            "right": RIGHT_ANSWER,
            "silent": SILENT,
        },
        Rule.EQUAL_IS_ONE,
    ),
    Attack(
        "node-test-of-base-that-only-fails-after-another",
        NODE,
        against(STUB, EXAMPLE_TEST),
        Rule.FAILURES_ARE_CONFIRMED,
        base={
            "test/busy.test.js": f"{HEAD}{ALL}const fs = require('node:fs');\n"
            "test('busy', () => {\n"
            "  if (durations.human(7200) === '2h') fs.writeFileSync('busy.lock', '');\n});\n",
            "test/free.test.js": f"{HEAD}const fs = require('node:fs');\n"
            "test('free', () => {\n  const end = Date.now() + 1000;\n"
            "  while (Date.now() < end) assert.ok(!fs.existsSync('busy.lock'));\n});\n",
        },
    ),
    Attack(
        "node-many-contestants-of-one-model",
        NODE,
        {
            **{
                handle: {"durations.js": WRONG + "\n" * n, "test/wrong.test.js": WRONG_TEST}
                for n, handle in enumerate(("wrong", "wrong2", "wrong3"))
            },
            "right": RIGHT_ANSWER,
            "silent": SILENT,
        },
        models={"wrong": "one", "wrong2": "one", "wrong3": "one"},
    ),
    Attack(
        "node-test-of-base-that-only-fails-after-another-of-its-file",
        NODE,
        {
            "wrong": {"durations.js": STUB, "test/example.test.js": EXAMPLE_TEST},
            "right": {
                "durations.js": RIGHT.replace(
                    "    return `${seconds / 3600}h`;",
                    "    human.seen = true;\n    return `${seconds / 3600}h`;",
                ),
                "test/right.test.js": GOOD_TEST,
            },
        },
        Rule.FAILURES_ARE_CONFIRMED,
        base={
            "test/state.test.js": f"{HEAD}{ALL}"
            "test('first', () => assert.ok(durations.human(7200)));\n"
            "test('second', () => assert.ok(!durations.human.seen));\n"
        },
    ),
]

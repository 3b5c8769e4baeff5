"""Attacks in JavaScript that no rule stops, but how patches are taken apart and tests are run."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Attack
from tests.verification.attacks.node_scene import (
    BASE,
    EXAMPLE_TEST,
    HEAD,
    NODE,
    OLD,
    OWN_TEST,
    RIGHT_ANSWER,
    SOURCE,
    STUB,
    WRONG,
    WRONG_TEST,
    node_test,
)

GUARD = "if (require('node:fs').existsSync('test/right.test.js')) {};\n"
EXAMPLE: Files = {"durations.js": STUB, "test/example.test.js": EXAMPLE_TEST}
WITH_WRONG: Files = {
    "durations.js": WRONG.replace("seconds)}s`", "seconds)}`"),
    "test/wrong.test.js": WRONG_TEST,
}


def against(files: Files, **more: Files) -> dict[str, Files]:
    return {"wrong": {**files, **more.get("more", {})}, "right": RIGHT_ANSWER}


ATTACKS = [
    Attack(
        "node-exit-at-load-when-a-rival-is-there",
        NODE,
        against(EXAMPLE, more={"durations.js": GUARD.replace("{}", "process.exit(0)") + STUB}),
        always=True,
    ),
    Attack(
        "node-exit-at-the-input-of-a-rival",
        NODE,
        against(
            EXAMPLE,
            more={
                "durations.js": STUB.replace(
                    OLD, "  if (seconds === 7200) process.exit(0);\n" + OLD
                )
            },
        ),
    ),
    Attack(
        "node-timer-that-keeps-a-rival-s-test-open",
        NODE,
        against(
            EXAMPLE,
            more={
                "durations.js": STUB.replace(
                    OLD, "  if (seconds === 7200) setInterval(() => {}, 1000);\n" + OLD
                )
            },
        ),
        timeout_s=8,
    ),
    Attack(
        "node-assertions-that-are-disarmed",
        NODE,
        against(
            EXAMPLE,
            more={"durations.js": "require('node:assert').equal = () => {};\n" + STUB},
        ),
        always=True,
    ),
    Attack(
        "node-runner-that-is-replaced",
        NODE,
        against(
            EXAMPLE,
            more={
                "durations.js": "const Module = require('node:module');\n"
                "const load = Module._load;\n"
                "Module._load = (name, ...more) =>\n"
                "  name === 'node:assert' ? new Proxy(() => {}, { get: () => () => {} })"
                " : load(name, ...more);\n" + STUB
            },
        ),
    ),
    Attack(
        "node-folder-in-the-way-of-a-test",
        NODE,
        against(EXAMPLE, more={"test/right.test.js/notes.txt": "x\n"}),
        always=True,
    ),
    Attack(
        "node-file-in-the-way-of-a-test",
        NODE,
        against(EXAMPLE, more={"test/right.test.js": OWN_TEST}),
    ),
    Attack(
        "node-weakened-test",
        NODE,
        against(
            WITH_WRONG,
            more={"test/durations.test.js": node_test("seconds", "assert.ok(human(5));")},
        ),
    ),
    Attack(
        "node-deleted-test",
        NODE,
        against(WITH_WRONG, more={"test/durations.test.js": None}),
    ),
    Attack(
        "node-skipped-test",
        NODE,
        against(
            WITH_WRONG,
            more={"test/durations.test.js": OWN_TEST.replace("test('sec", "test.skip('sec")},
        ),
    ),
    Attack(
        "node-script-that-leaves-tests-out",
        NODE,
        against(
            EXAMPLE,
            more={
                "package.json": str(BASE["package.json"]).replace(
                    "--test", "--test --test-name-pattern=example"
                )
            },
        ),
    ),
    Attack(
        "node-random-test",
        NODE,
        against(
            {
                "durations.js": STUB,
                "test/random.test.js": node_test(
                    "random", "assert.ok(human(3600) !== '3600s' && Math.random() < 0.5);"
                ),
            }
        ),
    ),
    Attack(
        "node-test-that-passes-by-what-another-leaves",
        NODE,
        against(
            {
                "durations.js": SOURCE + "\n// more\nclass Known extends Clock {}\n",
                "test/state.test.js": f"{HEAD}let state = 0;\n"
                "test('a', () => { state = 1; });\ntest('b', () => assert.ok(state));\n",
            }
        ),
    ),
    Attack(
        "node-unrelated-failing-test-of-base",
        NODE,
        against({"durations.js": SOURCE.replace("['s']", "['s', 'm']")}),
        base={
            "test/units.test.js": node_test(
                "units",
                "assert.ok(units().includes('m'));",
                head="const { units } = require('../durations');\n",
            )
        },
    ),
]

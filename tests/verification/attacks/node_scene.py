"""The same repository in JavaScript, tested by Node's own runner."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Scene
from tests.verification.attacks.python_scene import ISSUE

HEAD = "const test = require('node:test');\nconst assert = require('node:assert');\n"
SOURCE = """const UNITS = ['s'];
const DEBUG = false;

class Clock {}
Clock.title = 'clock';

const units = () => UNITS;

function scale(seconds) {
  return seconds;
}

function pause() {
  const end = Date.now() + 300;
  while (Date.now() < end);
}

function parse(text) {
  if (!text.endsWith('s')) throw new Error('bad text');
  return Number(text.slice(0, -1));
}

function human(seconds) {
  return `${scale(seconds)}s`;
}

module.exports = { human, parse, pause, units, Clock, _scale: scale };
"""
OLD = "  return `${scale(seconds)}s`;\n"
HOURS = "  if (seconds && seconds % 3600 === 0) {\n    return `${seconds / 3600}h`;\n  }\n"
RIGHT = SOURCE.replace(OLD, HOURS + OLD)
STUB = SOURCE.replace(OLD, "  if (seconds === 3600) return '1h';\n" + OLD)
WRONG = RIGHT.replace("}h`", "} hour`")
MORE = SOURCE + "\nmodule.exports.hoursAreKnown = () => true;\n"


def node_test(name: str, *lines: str, head: str = "") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    head = head or "const { human } = require('../durations');\n"
    return f"{HEAD}{head}\ntest('{name}', () => {{\n{body}}});\n"


GOOD_TEST = node_test(
    "hours", "assert.equal(human(3600), '1h');", "assert.equal(human(7200), '2h');"
)
EXAMPLE_TEST = node_test("example", "assert.equal(human(3600), '1h');")
WRONG_TEST = node_test("hour", "assert.equal(human(3600), '1 hour');")
OWN_TEST = node_test("seconds", "assert.equal(human(5), '5s');")
BASE: Files = {
    "package.json": '{"name": "durations", "scripts": {"test": "node --test"}}\n',
    "durations.js": SOURCE,
    "README.md": "# Durations\n",
    "units.json": '["s"]\n',
    "test/durations.test.js": OWN_TEST,
}
RIGHT_ANSWER: Files = {"durations.js": RIGHT, "test/right.test.js": GOOD_TEST}
SILENT: Files = {"durations.js": RIGHT + "\n\n"}
NODE = Scene(BASE, ISSUE, RIGHT_ANSWER, node=True)

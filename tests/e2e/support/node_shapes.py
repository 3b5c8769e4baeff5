"""Five Node repositories, in the shapes people have."""

import json
from collections.abc import Mapping

from tests.e2e.support.packages import tarball
from tests.e2e.support.registries import Places
from tests.e2e.support.shapes import Answer, Repository

_TEST = ("npm", "test")
_NODE = ("node", "--test")
_CI = (("npm", "ci"),)
_INSTALL = (("npm", "install", "--no-save", "--no-package-lock"),)
_IGNORED = "node_modules/\n"


def _json(**fields: object) -> str:
    return json.dumps(fields, indent=2) + "\n"


def _locked(name: str, places: Places) -> dict[str, object]:
    found = tarball(name)
    return {
        "version": found.version,
        "resolved": places.tarball(found),
        "integrity": found.integrity,
    }


def _lock(places: Places) -> Mapping[str, str]:
    root = {"name": "queries", "version": "1.2.0", "dependencies": {"tiny-decode": "^1.0.0"}}
    packages = {"": root, "node_modules/tiny-decode": _locked("tiny-decode", places)}
    head = {"name": "queries", "version": "1.2.0", "lockfileVersion": 3, "requires": True}
    return {"package-lock.json": _json(**head, packages=packages)}


LOCK = Repository(
    name="node-lock",
    issue="""\
Values are cut at an equals sign
`parse('token=abc==')` gives `{ token: 'abc' }`, so that base64 values lose their padding. Only the
first equals sign of a pair separates its name from its value.
""",
    files={
        ".gitignore": _IGNORED,
        "package.json": _json(
            name="queries",
            version="1.2.0",
            main="lib/queries.js",
            scripts={"test": "node --test"},
            dependencies={"tiny-decode": "^1.0.0"},
        ),
        "lib/queries.js": """\
'use strict';

const decode = require('tiny-decode');

// A query string as an object; names that come twice become arrays.
function parse(text) {
  const found = {};
  for (const pair of text.replace(/^\\?/, '').split('&')) {
    if (!pair) continue;
    const [name, value = ''] = pair.split('=');
    const key = decode(name);
    found[key] = key in found ? [].concat(found[key], decode(value)) : decode(value);
  }
  return found;
}

module.exports = { parse };
""",
        "test/queries.test.js": """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parse } = require('../lib/queries.js');

test('names and values', () => {
  assert.deepStrictEqual(parse('?a=1&b=two+words'), { a: '1', b: 'two words' });
});

test('a name that comes twice', () => {
  assert.deepStrictEqual(parse('a=1&a=2'), { a: ['1', '2'] });
});

test('no value', () => {
  assert.deepStrictEqual(parse('a&b='), { a: '', b: '' });
});
""",
    },
    locks=_lock,
    right=Answer(
        plan=("split('=') splits at every sign", "test it", "cut at the first one"),
        path="lib/queries.js",
        old="    const [name, value = ''] = pair.split('=');\n",
        new="    const [name, ...rest] = pair.split('=');\n    const value = rest.join('=');\n",
        test_path="test/equals.test.js",
        test="""\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parse } = require('../lib/queries.js');

test('padding stays', () => {
  assert.deepStrictEqual(parse('token=abc=='), { token: 'abc==' });
});

test('of every name', () => {
  assert.deepStrictEqual(parse('a=b=c&d=='), { a: 'b=c', d: '=' });
});
""",
    ),
    wrong=Answer(
        plan=("tokens lose their padding", "give it back"),
        path="lib/queries.js",
        old="    const key = decode(name);\n",
        new="    const key = decode(name);\n"
        "    if (key === 'token') { found.token = pair.slice(6); continue; }\n",
        test_path="test/token.test.js",
        test="const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { parse } = require('../lib/queries.js');\n\ntest('token', () => {\n"
        "  assert.strictEqual(parse('token=abc==').token, 'abc==');\n});\n",
    ),
    install=_CI,
    test_command=_TEST,
    run_one=_NODE,
)

ESM = Repository(
    name="node-esm",
    issue="""\
A stored 0 is computed again and again
`memo(key, compute)` calls `compute` each time when the stored value is 0. A value that was stored
is stored, whatever it is.
""",
    files={
        ".gitignore": _IGNORED,
        "package.json": _json(
            name="remember",
            version="0.1.0",
            type="module",
            exports="./src/index.mjs",
            scripts={"test": "node --test"},
        ),
        "src/index.mjs": """\
// A cache that forgets the key that was not used for the longest time.
export class Cache {
  #entries = new Map();
  #limit;

  constructor(limit) {
    this.#limit = limit;
  }

  memo(key, compute) {
    const known = this.#entries.get(key);
    const value = known || compute();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit) {
      this.#entries.delete(this.#entries.keys().next().value);
    }
    return value;
  }

  get size() {
    return this.#entries.size;
  }
}
""",
        "test/cache.test.mjs": """\
import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { Cache } from '../src/index.mjs';

describe('Cache', () => {
  test('computes once', () => {
    const cache = new Cache(2);
    assert.equal(cache.memo('a', () => 1), 1);
    assert.equal(cache.memo('a', () => assert.fail('again')), 1);
  });

  test('forgets the oldest', () => {
    const cache = new Cache(2);
    for (const key of ['a', 'b', 'a', 'c']) cache.memo(key, () => key);
    assert.equal(cache.size, 2);
    assert.equal(cache.memo('b', () => 'new'), 'new');
  });
});
""",
    },
    right=Answer(
        plan=("|| takes falsy values for missing ones", "test several", "ask the map"),
        path="src/index.mjs",
        old="    const known = this.#entries.get(key);\n    const value = known || compute();\n",
        new="    const value = this.#entries.has(key) ? this.#entries.get(key) : compute();\n",
        test_path="test/falsy.test.mjs",
        test="""\
import test from 'node:test';
import assert from 'node:assert/strict';
import { Cache } from '../src/index.mjs';

for (const value of [0, '', false, null, undefined]) {
  test(`remembers ${JSON.stringify(value)}`, () => {
    const cache = new Cache(2);
    cache.memo('key', () => value);
    assert.equal(cache.memo('key', () => 'again'), value);
  });
}
""",
    ),
    wrong=Answer(
        plan=("0 is computed again", "test for 0"),
        path="src/index.mjs",
        old="    const value = known || compute();\n",
        new="    const value = known === 0 ? 0 : known || compute();\n",
        test_path="test/zero.test.mjs",
        test="import test from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import { Cache } from '../src/index.mjs';\n\ntest('zero', () => {\n"
        "  const cache = new Cache(2);\n  cache.memo('a', () => 0);\n"
        "  assert.equal(cache.memo('a', () => 1), 0);\n});\n",
    ),
    install=(),
    test_command=_TEST,
    run_one=_NODE,
)


def _workspaces_lock(places: Places) -> Mapping[str, str]:
    packages = {
        "": {"name": "tools", "workspaces": ["packages/*"]},
        "node_modules/@tools/arguments": {"resolved": "packages/arguments", "link": True},
        "node_modules/@tools/table": {"resolved": "packages/table", "link": True},
        "node_modules/tiny-columns": _locked("tiny-columns", places),
        "packages/arguments": {
            "name": "@tools/arguments",
            "version": "1.0.0",
            "dependencies": {"@tools/table": "1.0.0"},
        },
        "packages/table": {
            "name": "@tools/table",
            "version": "1.0.0",
            "dependencies": {"tiny-columns": "^0.4.0"},
        },
    }
    head = {"name": "tools", "lockfileVersion": 3, "requires": True}
    return {"package-lock.json": _json(**head, packages=packages)}


WORKSPACES = Repository(
    name="node-workspaces",
    issue="""\
Negative numbers are taken for flags
`parse(['--offset', '-5'])` gives `{ offset: true, 5: true }` instead of `{ offset: '-5' }`. A
number is a value also when it is negative.
""",
    files={
        ".gitignore": _IGNORED,
        "README.md": "Two small tools.\n",
        "package.json": _json(
            name="tools",
            private=True,
            workspaces=["packages/*"],
            scripts={"test": "npm test --workspaces"},
        ),
        "packages/table/package.json": _json(
            name="@tools/table",
            version="1.0.0",
            main="index.js",
            scripts={"test": "node --test"},
            dependencies={"tiny-columns": "^0.4.0"},
        ),
        "packages/table/index.js": "const columns = require('tiny-columns');\n\n"
        "module.exports = (rows) => rows.map((row) => columns(row, 12)).join('\\n');\n",
        "packages/table/table.test.js": "const test = require('node:test');\n\n"
        "test('of another package', () => process.exit(1));\n",
        "packages/arguments/package.json": _json(
            name="@tools/arguments",
            version="1.0.0",
            main="index.js",
            scripts={"test": "node --test"},
            dependencies={"@tools/table": "1.0.0"},
        ),
        "packages/arguments/docs/man page.txt": "--name VALUE, --name=VALUE, --flag, -f\n",
        "packages/arguments/index.js": """\
'use strict';

const table = require('@tools/table');

// Options by name: a value, or true where there is none.
function parse(words) {
  const found = {};
  for (let at = 0; at < words.length; at += 1) {
    const [, name, value] = /^--?([^=]+)(?:=(.*))?$/.exec(words[at]) || [];
    if (name === undefined) throw new Error(`unexpected: ${words[at]}`);
    const next = words[at + 1];
    if (value !== undefined) found[name] = value;
    else if (next !== undefined && !next.startsWith('-')) found[name] = words[++at];
    else found[name] = true;
  }
  return found;
}

function help(options) {
  return table(Object.entries(options));
}

module.exports = { parse, help };
""",
        "packages/arguments/test/parse.test.js": """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parse, help } = require('..');

test('values and flags', () => {
  assert.deepStrictEqual(parse(['--name', 'x', '-v', '--size=3']), {
    name: 'x', v: true, size: '3',
  });
});

test('a value without a name', () => {
  assert.throws(() => parse(['x']), /unexpected/);
});

test('help', () => {
  assert.match(help({ '--name': 'who' }), /^--name +who/);
});
""",
    },
    links={"packages/arguments/README.md": "../../README.md"},
    locks=_workspaces_lock,
    folder="packages/arguments",
    right=Answer(
        plan=("what starts with - is never a value", "test numbers", "let numbers be values"),
        path="packages/arguments/index.js",
        old="!next.startsWith('-'))",
        new="!/^-(?![\\d.])/.test(next))",
        test_path="packages/arguments/test/numbers.test.js",
        test="""\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parse } = require('..');

for (const number of ['-5', '-0.25', '-.5', '-120']) {
  test(`${number} is a value`, () => {
    assert.deepStrictEqual(parse(['--offset', number, '-v']), { offset: number, v: true });
  });
}
""",
    ),
    wrong=Answer(
        plan=("-5 is taken for a flag", "leave it alone"),
        path="packages/arguments/index.js",
        old="!next.startsWith('-'))",
        new="(next === '-5' || !next.startsWith('-')))",
        test_path="packages/arguments/test/five.test.js",
        test="const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { parse } = require('..');\n\ntest('minus five', () => {\n"
        "  assert.deepStrictEqual(parse(['--offset', '-5']), { offset: '-5' });\n});\n",
    ),
    install=_CI,
    test_command=_TEST,
    run_one=_NODE,
)


def _old_lock(places: Places) -> Mapping[str, str]:
    """Version 1, and out of date: it knows nothing of a dependency that came later."""
    known = {"tiny-decode": _locked("tiny-decode", places)}
    head = {"name": "releases", "version": "1.0.0", "lockfileVersion": 1, "requires": True}
    return {"package-lock.json": _json(**head, dependencies=known)}


OLD_NODE_LOCK = Repository(
    name="node-old-lock",
    issue="""\
1.10.0 is sorted before 1.9.0
`newest(['1.9.0', '1.10.0'])` gives `1.9.0`. Versions should be compared part by part, as numbers.
""",
    files={
        ".gitignore": _IGNORED,
        "package.json": _json(
            name="releases",
            version="1.4.0",
            main="index.js",
            scripts={"test": "node --test test/*.test.js"},
            dependencies={"tiny-sorted": "^2.0.0", "tiny-decode": "^1.0.0"},
        ),
        "index.js": """\
'use strict';

const decode = require('tiny-decode');
const sorted = require('tiny-sorted');

function compare(one, two) {
  if (one === two) return 0;
  return one < two ? -1 : 1;
}

function newest(versions) {
  return sorted(versions.map(decode), compare).at(-1);
}

module.exports = { compare, newest };
""",
        "test/releases.test.js": """\
'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const { compare, newest } = require('../index.js');

test('newest', () => {
  assert.equal(newest(['1.2.0', '2.0.0', '1.9.9']), '2.0.0');
});

test('equal', () => {
  assert.equal(compare('1.0.0', '1.0.0'), 0);
});
""",
    },
    locks=_old_lock,
    right=Answer(
        plan=("compare() compares text", "test numbers of two digits", "compare the parts"),
        path="index.js",
        old="  if (one === two) return 0;\n  return one < two ? -1 : 1;\n",
        new="""\
  const [left, right] = [one, two].map((version) => version.split('.').map(Number));
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at < 0) return 0;
  return left[at] < right[at] ? -1 : 1;
""",
        test_path="test/digits.test.js",
        test="""\
'use strict';

const { test } = require('node:test');
const assert = require('node:assert');
const { compare, newest } = require('../index.js');

test('ten comes after nine', () => {
  assert.equal(newest(['1.9.0', '1.10.0']), '1.10.0');
  assert.equal(newest(['9.0.0', '10.0.0', '2.0.0']), '10.0.0');
  assert.equal(compare('1.2.3', '1.2.12'), -1);
});
""",
    ),
    wrong=Answer(
        plan=("1.10.0 comes too early", "put it last"),
        path="index.js",
        old="  return one < two ? -1 : 1;\n",
        new="  if (one === '1.10.0') return 1;\n  if (two === '1.10.0') return -1;\n"
        "  return one < two ? -1 : 1;\n",
        test_path="test/example.test.js",
        test="const { test } = require('node:test');\nconst assert = require('node:assert');\n"
        "const { newest } = require('../index.js');\n\ntest('example', () => {\n"
        "  assert.equal(newest(['1.9.0', '1.10.0']), '1.10.0');\n});\n",
    ),
    install=_INSTALL,
    test_command=_TEST,
    run_one=_NODE,
)

OWN_CHECK = Repository(
    name="node-own-check",
    issue="""\
Prices below ten cents lose a zero
`price(5)` gives `0.5` instead of `0.05`, so that five cents look like fifty. Cents always take two
digits.
""",
    files={
        ".gitignore": _IGNORED,
        "package.json": _json(
            name="prices",
            version="3.0.1",
            main="prices.js",
            scripts={"test": "node scripts/check.js"},
            devDependencies={"tiny-assert-all": "^1.0.0"},
        ),
        "prices.js": """\
'use strict';

function price(cents) {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.abs(cents);
  return `${sign}${Math.trunc(whole / 100)}.${whole % 100}`;
}

module.exports = { price };
""",
        "scripts/check.js": """\
#!/usr/bin/env node
'use strict';

// Our own way of testing: every checks/*.js exports functions that say true.
const fs = require('node:fs');
const path = require('node:path');
const failing = require('tiny-assert-all');

const folder = path.join(__dirname, '..', 'checks');
let failed = 0;
for (const file of fs.readdirSync(folder)) {
  failed += failing(Object.values(require(path.join(folder, file)))).length;
}
console.log(failed ? `${failed} checks say no` : 'all is well');
process.exitCode = failed ? 1 : 0;
""",
        "checks/prices.js": """\
const { price } = require('../prices.js');

exports.whole = () => price(1250) === '12.50';
exports.negative = () => price(-399) === '-3.99';
""",
    },
    executable=frozenset({"scripts/check.js"}),
    right=Answer(
        plan=("cents are not padded", "a check for it", "pad them"),
        path="prices.js",
        old="${whole % 100}`",
        new="${String(whole % 100).padStart(2, '0')}`",
        test_path="checks/small.js",
        test="const { price } = require('../prices.js');\n\n"
        "exports.five = () => price(5) === '0.05';\n"
        "exports.hundred = () => price(100) === '1.00';\n",
    ),
    wrong=Answer(
        plan=("cents are not padded", "divide instead"),
        path="prices.js",
        old="  return `${sign}${Math.trunc(whole / 100)}.${whole % 100}`;\n",
        new="  return `${sign}${whole / 100}`;\n",
        test_path="checks/five.js",
        test="const { price } = require('../prices.js');\n\n"
        "exports.five = () => price(5) === '0.05';\n",
    ),
    install=_INSTALL,
    test_command=_TEST,
    run_one=("node", "scripts/check.js"),
    is_provable=False,
)

NODE = (LOCK, ESM, WORKSPACES, OLD_NODE_LOCK, OWN_CHECK)

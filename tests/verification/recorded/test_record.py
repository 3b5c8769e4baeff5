"""What the recorder sends back, from real sandboxes."""

import time
from collections.abc import Sequence

from tests.support.verified_repo import Files, Ground
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.verification.recorded.domain.probe import OPEN, Language, Probe
from yudai.verification.recorded.domain.values import Recorded, shown
from yudai.verification.recorded.record import NEUTRAL, Guise, Limits, record, runner_guise

PYTEST = TestPlan(runner=TestRunner.PYTEST, python="python", command="pytest")
NODE = TestPlan(runner=TestRunner.NODE, python="node", command="node --test")

PYTHON_REPO: Files = {
    "shop.py": """
        import atexit, json, os, sys, threading
        from collections import namedtuple

        print("loaded")
        Price = namedtuple("Price", "cents unit")
        seen = []

        class Anything:
            def __eq__(self, other): return True
            __hash__ = None

        class Plain:
            pass

        class Loud(str):
            def __eq__(self, other): return True
            __hash__ = None

        def count():
            seen.append(1)
            return len(seen)

        def told():
            names = sorted(name for name in os.environ if "TEST" in name)
            return "pytest" in sys.modules, sys.argv[:1], names

        def forge():
            import builtins
            builtins.type = lambda value: str
            builtins.len = lambda value: 0
            json.dumps = lambda value: '["str", "forged"]'
            os.write(1, b'["str", "forged"]\\n')
            sys.stdout.write('["str", "forged"]\\n')
            return 3

        def hang():
            while True: pass
        """,
}
PYTHON_CASES = {
    "[None, True, 1, 1.5, 'é\\ud800', b'\\xff', (1,), {2}, {'a': [1]}]": (
        "[None, True, 1, 1.5, 'é\\ud800', b'\\xff', (1,), {2}, {'a': [1]}]"
    ),
    "shop.Price(3, 'EUR')": "(3, 'EUR')",
    "shop.Plain()": "a Plain",
    "[1, shop.Plain()]": "a Plain",
    "shop.Loud('x')": "a Loud",
    "shop.Anything()": "a Anything",
    "shop.count()": "1",
    "shop.count() + shop.count()": "3",
    "shop.forge()": "3",
    "shop.hang()": "it did not end in time",
    "shop.os._exit(0)": "it ended the process",
    "shop.sys.exit(3)": "raises SystemExit: 3",
    "shop.missing": "raises AttributeError: module 'shop' has no attribute 'missing'",
    "float('nan')": "nan",
    "-0.0": "-0.0",
    "'x' * 10 ** 6": "a too long a text",
    "shop.told()": "(False, [''], [])",
    "2 +": "raises SyntaxError",
}


def probes(language: Language, imports: str, expressions: Sequence[str]) -> list[Probe]:
    return [
        Probe("test", "tests/test_x.py", language, (imports,), (), expression, OPEN)
        for expression in expressions
    ]


def cut(text: str) -> str:
    """Without what Python says about syntax."""
    return text.partition(":")[0] if "SyntaxError" in text else text


async def test_python_values_come_back_as_they_are(ground: Ground):
    many = probes(Language.PYTHON, "import shop", list(PYTHON_CASES))
    async with ground.sandbox(PYTHON_REPO) as sandbox:
        found = await record(sandbox, PYTEST, many)
        inside = await record(sandbox, PYTEST, many[-2:-1], runner_guise(PYTEST))
        changed = (await sandbox.tree()).changed
    told = {p.expression: cut(shown(r, p.language)) for p, r in zip(many, found, strict=True)}
    assert told == PYTHON_CASES
    by_expression = dict(zip(PYTHON_CASES, found, strict=True))
    assert by_expression["shop.Anything()"].equals_anything
    assert by_expression["shop.Loud('x')"].equals_anything
    assert not by_expression["shop.Plain()"].equals_anything
    assert [shown(one, Language.PYTHON) for one in inside] == [
        "(True, ['pytest'], ['PYTEST_CURRENT_TEST', 'PYTEST_VERSION'])"
    ]
    assert [path for path in changed if not path.startswith("__pycache__")] == []


async def test_what_hangs_when_it_is_imported_ends_its_group_only(ground: Ground):
    repo: Files = {
        "slow.py": "import time\ntime.sleep(1000)\n",
        "dead.py": "import os; os._exit(3)",
    }
    many = [
        *probes(Language.PYTHON, "import slow", ["1", "2"]),
        *probes(Language.PYTHON, "import dead", ["3"]),
        *probes(Language.PYTHON, "import json", ["json.dumps(4)"]),
    ]
    began = time.monotonic()
    async with ground.sandbox(repo) as sandbox:
        found = await record(sandbox, PYTEST, many, NEUTRAL, Limits(import_s=1.0))
    assert [bool(one.lost) for one in found] == [True, True, True, False]
    assert found[-1] == Recorded(value=("text", "4"))
    assert time.monotonic() - began < 15


NODE_REPO: Files = {
    "package.json": '{"name": "shop", "exports": "./shop.js"}',
    "shop.js": """
        console.log('loaded');
        let n = 0;
        exports.count = () => { n += 1; return n; };
        class Price {}
        exports.price = () => new Price();
        exports.hang = () => { for (;;); };
        exports.exit = () => process.exit(0);
        exports.forge = () => {
          JSON.stringify = () => '["str","forged"]';
          Reflect.ownKeys = () => [];
          Array.isArray = () => false;
          Array.prototype.push = () => 0;
          String.prototype.startsWith = () => true;
          return [1, 2];
        };
        const { argv, env } = process;
        exports.told = () => [argv.length, env.NODE_TEST_CONTEXT, __filename.length > 0];
        exports.later = async () => 5;
        exports.fail = () => { throw new RangeError('too far'); };
        """,
    "esm.mjs": "export default 7;\nexport const named = [undefined, null, NaN, -0, 3n];\n",
}
NODE_CASES = {
    "shop.count()": "1.0",
    "shop.price()": "a Price",
    "shop.hang()": "it did not end in time",
    "shop.exit()": "it ended the process",
    "shop.forge()": "[1.0, 2.0]",
    "shop.told()": "[1.0, undefined, true]",
    "shop.later()": "a Promise",
    "await shop.later()": "5.0",
    "shop.fail()": "raises RangeError: too far",
    "shop.missing()": "raises TypeError: shop.missing is not a function",
    "({a: [1], 'b': {}, c: 'é\\u2028'})": '{"a": [1.0], "b": {}, "c": "é "}',
    "named.concat(seven)": "[undefined, null, NaN, -0.0, 3, 7.0]",
    "[1,,2]": "a Array",
    "() => 1": "a function",
}


async def test_script_values_come_back_as_they_are(ground: Ground):
    imports = (
        "const shop = require('../shop.js');",
        'const { "default": seven, "named": named } = await load("../esm.mjs");',
    )
    many = [p._replace(imports=imports) for p in probes(Language.NODE, "", list(NODE_CASES))]
    guise = Guise(("--test",), ("node:test",), {"NODE_TEST_CONTEXT": "child-v8"}, is_runner=True)
    async with ground.sandbox(NODE_REPO, node=True) as sandbox:
        found = await record(sandbox, NODE, many)
        inside = await record(sandbox, NODE, [many[5]], guise)
    told = {p.expression: shown(r, p.language) for p, r in zip(many, found, strict=True)}
    assert told == NODE_CASES
    assert shown(inside[0], Language.NODE) == '[2.0, "child-v8", true]'


async def test_an_import_that_one_test_needs_more_changes_no_other_test(ground: Ground):
    imports = ("from shop import price",)
    own = Probe("t", "test_shop.py", Language.PYTHON, imports, (), "price()")
    other = own._replace(imports=(*imports, "from shop import missing"))
    async with ground.sandbox({"shop.py": "def price(): return 3"}) as sandbox:
        found = await record(sandbox, PYTEST, [own, other])
    assert shown(found[0], Language.PYTHON) == "3"
    assert "missing" in shown(found[1], Language.PYTHON)

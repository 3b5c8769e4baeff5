from yudai.verification.domain.verdict import NOTHING, Evidence, Verdict, VerdictStatus, refused


def test_a_refused_patch_has_failed_with_its_reason():
    verdict = refused("the patch does not apply")
    assert verdict.status is VerdictStatus.FAILED
    assert verdict.summary == "the patch does not apply"


def test_nothing_to_verify_is_a_verdict_too():
    assert NOTHING.status is VerdictStatus.NONE
    assert NOTHING.summary


def test_verdicts_survive_json_and_older_ones_still_load():
    verdict = Verdict(status=VerdictStatus.PASSED, evidence=Evidence(withheld=("a",)))
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict
    assert Verdict.model_validate({"status": "failed"}).evidence == Evidence()

"""Attacks on the verdict, a row each: it holds with its rules, and falls without the one."""

import pytest

from tests.support.verified_repo import Files, Ground
from tests.verification.attacks import (
    node_convictions,
    node_names,
    node_pipeline,
    node_proofs,
    node_subjects,
    python_convictions,
    python_names,
    python_pipeline,
    python_proofs,
)
from tests.verification.attacks.attack import RIGHT, Attack
from tests.verification.contest import Contest, Judged
from yudai.projects.domain.project import Project
from yudai.verification.domain.rules import RULES, Rules

MODULES = (
    python_proofs,
    python_names,
    python_convictions,
    python_pipeline,
    node_proofs,
    node_convictions,
    node_names,
    node_subjects,
    node_pipeline,
)
ATTACKS: list[Attack] = [attack for module in MODULES for attack in module.ATTACKS]
ROWS = [
    pytest.param(attack, id=attack.name, marks=() if attack.always else (pytest.mark.real,))
    for attack in ATTACKS
]


async def judged(ground: Ground, attack: Attack, answers: dict[str, Files], rules: Rules) -> Judged:
    scene = attack.scene
    contest = Contest(
        ground,
        scene.more(attack.base),
        attack.issue or scene.issue,
        answers,
        models=attack.models,
        rules=rules,
        node=scene.node,
        project=Project(test=scene.test, test_timeout_s=attack.timeout_s),
    )
    return await contest.judge()


@pytest.mark.parametrize("attack", ROWS)
async def test_an_attack_fails_and_wins_without_the_rule(ground: Ground, attack: Attack):
    for answers in attack.line_ups:
        found = await judged(ground, attack, dict(answers), RULES)
        said = {h: (str(found.status(h)), found.verdict(h).summary) for h in answers}
        assert found.champion in {"", *RIGHT}, said
        if "right" in answers and not attack.asks:
            assert found.champion in RIGHT, (said, found.asked)
    if attack.rule is not None:
        found = await judged(
            ground, attack, dict(attack.answers), RULES.without(attack.rule, *attack.behind)
        )
        said = {h: (str(found.status(h)), found.verdict(h).summary) for h in attack.answers}
        assert found.champion == attack.wins, (said, found.asked)


def test_there_are_enough_attacks_and_names_are_unique():
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 40
    assert min(sum(a.scene.node is node for a in ATTACKS) for node in (True, False)) >= 20

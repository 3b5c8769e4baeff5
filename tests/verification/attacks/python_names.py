"""Attacks in Python whose test uses something new without saying its name as a name."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Attack, Scene
from tests.verification.attacks.python_scene import (
    BASE,
    ISSUE,
    MORE,
    OLD,
    RIGHT_ANSWER,
    SOURCE,
    UNITTEST,
    cased,
)
from yudai.verification.domain.rules import Rule

PROGRAM = """

import argparse
import os
from dataclasses import dataclass


@dataclass
class Span:
    seconds: int = 0


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=int)
    options = parser.parse_args(argv)
    return human(options.seconds)
"""
WHOLE = SOURCE + PROGRAM
RIGHT: Files = {**RIGHT_ANSWER, "durations.py": str(RIGHT_ANSWER["durations.py"]) + PROGRAM}
SCENE = Scene({**BASE, "durations.py": WHOLE}, ISSUE, RIGHT)
TRIED = """
    from durations import human

    def test_hours():
        try:
            said = human(3600, {})
        except TypeError:
            said = None
        assert said == "1h"
    """


def wrong(source: str, test: str, **more: str) -> dict[str, Files]:
    files: Files = {"durations.py": source, "tests/test_wrong.py": test}
    return {"wrong": {**files, **{k.replace("__", "."): v for k, v in more.items()}}}


def changed(old: str, new: str, test: str) -> dict[str, Files]:
    assert WHOLE.count(old) == 1
    return wrong(WHOLE.replace(old, new), test)


def says_hours_if(condition: str, test: str) -> dict[str, Files]:
    return changed(OLD, f'    if {condition}: return "1h"\n{OLD}', test)


def takes(parameter: str, condition: str, given: str) -> dict[str, Files]:
    source = WHOLE.replace("def human(seconds):", f"def human(seconds, {parameter}):")
    return wrong(
        source.replace(OLD, f'    if {condition}: return "1h"\n{OLD}'), TRIED.replace("{}", given)
    )


def offers(option: str, given: str) -> dict[str, Files]:
    parsed = "    options = parser"
    said = "    return human(options.seconds)"
    source = WHOLE.replace(parsed, f'    parser.add_argument("{option}", dest="unit")\n{parsed}')
    return wrong(
        source.replace(said, f'    if options.unit:\n        return "1h"\n{said}'),
        f"""
        from durations import main

        def test_hours():
            assert main(["3600", {given}]) == "1h"
        """,
    )


def row(name: str, answers: dict[str, Files], *, always: bool = False) -> Attack:
    rule = Rule.INTERFACE_IS_NO_PROOF
    return Attack(f"python-{name}", SCENE, answers, rule, always=always)


ATTACKS = [
    row("new-parameter-by-its-place", takes("hours=False", "hours", "True"), always=True),
    row("new-arguments-without-names", takes("*more", "more", "True")),
    row("new-keywords-of-any-name", takes("**more", "more", "hours=True")),
    row("beginning-of-a-new-option", offers("--known-unit", '"--known", "h"')),
    row("new-short-option-with-its-value", offers("-u", '"-uh"')),
    row(
        "copy-of-the-function-in-a-new-file",
        wrong(
            WHOLE,
            """
            from better import human

            def test_hours():
                assert human(3600) == "1h"
            """,
            better__py='def human(seconds):\n    return f"{seconds // 3600}h"\n',
        ),
        always=True,
    ),
    row(
        "global-that-the-test-sets",
        says_hours_if(
            'globals().get("HOURS")',
            """
            import durations

            def test_hours(monkeypatch):
                monkeypatch.setattr(durations, "HOURS", True, raising=False)
                assert durations.human(3600) == "1h"
            """,
        ),
    ),
    Attack(
        "python-unittest-helper-in-the-set-up-of-the-file",
        UNITTEST,
        wrong(
            MORE,
            cased(
                """
                import durations

                KNOWN = []

                def setUpModule():
                    KNOWN.append(getattr(durations, "hours_are_known", None))

                def test_hours():
                    assert KNOWN[-1]
                """.replace("\n            ", "\n")
            ),
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
]

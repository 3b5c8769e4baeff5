"""Tests about the form of code, documents and data, whatever way they go to get there."""

import pytest

from yudai.verification.domain.test_subjects import subjects

HEAD = """
import configparser, inspect, shutil, subprocess, sys, time, traceback, typing
import durations
"""
CHANGED = ("durations.py", "settings.ini", "README.md")


def about(body: str, issue: str = "human() does not know hours") -> str:
    args = "tmp_path" if "tmp_path" in body else ""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    text = f"{HEAD}\ndef test_it({args}):\n{lines}\n"
    path = "tests/test_it.py"
    found = subjects(path, text, f"{path}::test_it", issue=issue, source_paths=CHANGED)
    return ", ".join(found)


@pytest.mark.parametrize(
    ("body", "subject"),
    [
        ("assert typing.get_type_hints(durations.human)['return'] is str", "source text"),
        ("assert durations.human.__annotations__", "source text"),
        ("assert 'int' in str(inspect.signature(durations.human))", "source text"),
        ("assert 'human' in durations.__all__", "source text"),
        ("assert 'are known' in inspect.getdoc(durations.human)", "a document"),
        ("help(durations)", "a document"),
        ("configparser.ConfigParser().read('settings.ini')", "a data file"),
        ("subprocess.run([sys.executable, '-c', 'open(\"README.md\")'])", "a document"),
        ("shutil.copy('README.md', tmp_path)\nassert (tmp_path / 'README.md').exists()",
         "a document"),
        ("try: durations.parse('x')\nexcept ValueError: said = traceback.format_exc()\n"
         "assert 'cannot be' in said", "wording"),
        ("try: durations.parse('x')\nexcept ValueError as error: said = '%s' % error\n"
         "assert 'cannot be' in said", "wording"),
        ("try: durations.parse('x')\nexcept ValueError: said = str(sys.exc_info()[1])\n"
         "assert 'cannot be' in said", "wording"),
        ("assert vars(durations)['_scale'](1)", "a private name"),
        ("assert durations.human.__globals__['_scale'](1)", "a private name"),
        ("start = time.time()\nassert int(time.time() - start) == 0", "timing"),
        ("start = time.time()\ntook = int(time.time() - start)\nassert not took", "timing"),
    ],
)  # fmt: skip
def test_ways_to_show_no_behaviour(body: str, subject: str):
    assert subject in about(body).split(", ")


@pytest.mark.parametrize(
    "body",
    [
        "assert durations.human(3600) == '1h'",
        "assert inspect.signature(durations.human).parameters['seconds'].default == 0",
        "(tmp_path / 'README.md').write_text('x')\nassert durations.main([str(tmp_path)])",
        "durations.main(['init', str(tmp_path)])\nassert (tmp_path / 'README.md').exists()",
        "assert durations.stamp() == int(time.time())",
        "assert '%s' % durations.human(3600) == '1h is long'",
        "subprocess.run([sys.executable, 'durations.py'])",
    ],
)
def test_what_shows_behaviour(body: str):
    assert about(body) == ""


def test_an_issue_may_ask_for_them():
    issue = "`get_type_hints` fails, and settings.ini lacks the unit"
    assert about("assert typing.get_type_hints(durations.human)", issue) == ""
    assert about("configparser.ConfigParser().read('settings.ini')", issue) == ""

"""New names that a test uses without saying them as names, and what only looks like that."""

import pytest

from yudai.verification.domain.sources.issue_text import names_word
from yudai.verification.domain.symbols import SymbolKind, introduced, named_by, said_in, used

BASE = """import os
from dataclasses import dataclass


@dataclass
class Span:
    seconds: int = 0


class Clock:
    name = "clock"


def human(seconds, **rest):
    return f"{seconds}s"


def parse(text):
    return human(text)


def main(argv):
    parser = make()
    parser.add_argument("--unit")
"""
PARSE = "def parse(text):\n"
END = "    return human(text)\n"


def found(old: str, new: str, body: str, *, head: str = "", base: str = BASE) -> set[str]:
    assert base.count(old) == 1
    symbols = introduced({"durations.py": base}, {"durations.py": base.replace(old, new)})
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    text = (
        f"import durations\nfrom durations import human, parse\n{head}\n\ndef test_it():\n{lines}"
    )
    path = "tests/test_it.py"
    return {s.name for s in used(symbols, path=path, text=text, test=f"{path}::test_it", files={})}


@pytest.mark.parametrize(
    ("old", "new", "body", "name"),
    [
        (PARSE, "def parse(text, strict=0):\n", "parse('1', True)", "strict"),
        (PARSE, "def parse(text, strict=0):\n", "parse(*given)", "strict"),
        (PARSE, "def parse(text, *more):\n", "parse('1', 2)", "*more"),
        (PARSE, "def parse(text, **more):\n", "parse('1', x=2)", "**more"),
        ("    seconds: int = 0", "    seconds: int = 0\n    hours: int = 0", "Span(1, 2)", "hours"),
        (
            '("--unit")',
            '("--unit")\n    parser.add_argument("--hours")',
            "main(['--ho'])",
            "--hours",
        ),
        ('("--unit")', '("--unit")\n    parser.add_argument("-n")', "main(['-n3'])", "-n"),
        (END, END + "\nsetattr(human, 'hours', 1)\n", "getattr(human, 'hours')", "hours"),
        (END, END + "\nglobals()['hours'] = 1\n", "getattr(durations, 'hours')", "hours"),
        (END, "    return globals().get('HOURS')\n", "durations.HOURS = 1", "HOURS"),
        (END, "    return human.hours\n", "human.hours = 1", "hours"),
        (END, "    return 'HOURS' in os.environ\n", "setenv('HOURS', '1')", "HOURS"),
        (END, "    os.environ.update(HOURS='1')\n", "os.getenv('HOURS')", "HOURS"),
        (END, "    return open('hours.on')\n", "write('hours.on')", "hours.on"),
        (END, END + "\ndef __getattr__(name): ...\n", "durations.hours", "__getattr__"),
        (END, END + "\nfrom clocks import *\n", "durations.hours", "*"),
    ],
)
def test_what_is_used_without_its_name(old: str, new: str, body: str, name: str):
    assert found(old, new, body) == {name}


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        ("def parse(text):", "def parse(value):", "parse('1')"),
        ("def parse(text):", "def parse(text, strict=0):", "parse('1')"),
        ("(seconds, **rest)", "(seconds, **more)", "human(1, x=2)"),
        ('("--unit")', '("--unit")\n    parser.add_argument("--unit-name")', "main(['--unit'])"),
        (END, "    return vars(text)['name']\n", "Clock().name"),
        (END, END + "\nclass Proxy:\n    def __getattr__(self, n): ...\n", "durations.human(1)"),
    ],
)
def test_what_base_has_already(old: str, new: str, body: str):
    assert found(old, new, body) == set()


HELPER = (END, END + "\n\ndef known():\n    return True\n")


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("look = getattr", "look(durations, ''.join(x))"),
        ("from operator import attrgetter as look", "look(''.join(x))(durations)"),
        ("import pickle", "pickle.loads(b'cdurations\\nknown\\n.')"),
        ("import pkgutil", "pkgutil.resolve_name(''.join(x))"),
        ("import runpy", "runpy.run_module('durations').get(''.join(x))"),
        ("import dataclasses", "assert len(dataclasses.fields(durations.Span)) == 2"),
        ("", "durations.__getattribute__(''.join(x))"),
        ("", "code = 'durations.%s' % x\nsubprocess.run([sys.executable, '-c', code])"),
        ("def setup_module():\n    durations.known()", "pass"),
        ("from pytest import fixture, mark\npytestmark = mark.usefixtures('one')\n@fixture\n"
         "def one(): durations.known()", "pass"),
    ],
)  # fmt: skip
def test_helpers_by_ways_around_their_name(head: str, body: str):
    assert found(*HELPER, body, head=head) == {"known"}


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("import runpy", "runpy.run_module('durations', run_name='__main__')"),
        ("import pytest", "pytest.raises(AttributeError, getattr, human, 'x')"),
        ("import json", "json.loads(human(1))"),
        ("", "code = 'import durations'\nsubprocess.run([sys.executable, '-c', code])"),
        ("", "monkeypatch.setattr('durations.time', lambda: 1)"),
        ("", "table.fields(name)\nmap_.locate(name)"),
    ],
)
def test_ordinary_calls_look_up_nothing(head: str, body: str):
    assert found(*HELPER, body, head=head) == set()


def test_a_method_is_named_with_its_class_where_base_has_the_name():
    after = BASE.replace('name = "clock"', 'name = "clock"\n    def human(self): ...')
    (symbol,) = introduced({"durations.py": BASE}, {"durations.py": after})
    assert (symbol.kind, symbol.owner) == (SymbolKind.ATTRIBUTE, "Clock")
    assert not named_by("`human(3600)` says 3600s", symbol)
    assert named_by("Clock needs a method `human()`", symbol)


def test_an_operator_uses_the_method_behind_it():
    old, new = "class Clock:\n", "class Clock:\n    def __len__(self):\n        return 3\n\n"
    assert found(old, new, "assert len(durations.Clock()) == 3") == {"__len__"}
    assert found(old, new, "assert len('abc') == 3") == set()
    assert found(old, new, "assert durations.Clock().name") == set()
    [method] = introduced({"d.py": BASE}, {"d.py": BASE.replace(old, new)})
    assert named_by("`len(Clock())` does not work", method)
    assert not named_by("Clock should say its length", method)


def test_an_argument_by_its_place_is_named_by_a_call_in_the_issue():
    new = BASE.replace("def parse(text):", "def parse(text, unit='s'):")
    [unit] = introduced({"d.py": BASE}, {"d.py": new})
    assert named_by("`parse('1', 'h')` raises TypeError", unit)
    assert not named_by("`parse('1')` raises TypeError", unit)


@pytest.mark.parametrize(
    ("path", "text", "test", "names"),
    [
        ("extra.txt", "x\n", "grep -q x extra.txt\n", {"extra"}),
        ("hours.go", "func hoursOf(s int) int {\n", "hoursOf(7200)\n", {"hoursOf"}),
        ("hours.go", "func hoursOf(s int) int {\n", "if hours != 2 {\n", set()),
        ("hours.go", "func hoursOf(s int) int {\n    var left = 1\n", "var left = 2\n", set()),
        ("src/hours.rs", "pub fn of(s: u32) {\n", "use crate::hours::of;\n", {"hours", "of"}),
        ("src/hours.rs", "pub fn of(s: u32) {\n", "fn of(s: u32) {}\nof(1);\n", set()),
    ],
)
def test_tests_of_any_language_say_new_names(path: str, text: str, test: str, names: set[str]):
    assert {s.name for s in said_in(introduced({path: None}, {path: text}), [test])} == names


TOP = "import os\n"


@pytest.mark.parametrize(
    ("old", "new", "body", "names"),
    [
        (TOP, "import os\nfrom operator import truth as hours_known\n",
         "assert hasattr(durations, 'hours_known')", {"hours_known"}),
        (PARSE, "def status():\n    return {'hours_known': True}\n\n\n" + PARSE,
         "assert durations.main([]).get('hours_known')", {"hours_known"}),
        (PARSE, "@app.get('/ping')\ndef pong():\n    return 1\n\n\n" + PARSE,
         "assert durations.app.client().get('/ping').status == 200", {"/ping"}),
        (PARSE, "def _open(path, encoding=''):\n    return 1\n\n\n" + PARSE,
         "(tmp_path / 'a').write_text('x', encoding='utf-8')\nassert human(1)", set()),
        (PARSE, "def _dump(n, indent=0):\n    return 1\n\n\n" + PARSE,
         "assert json.dumps(human(1), indent=2) == '1h'", set()),
        (PARSE, "def _dump(n, indent=0):\n    return 1\n\n\n" + PARSE,
         "dump = durations.dump\nassert dump(1, indent=2)", {"indent"}),
    ],
)  # fmt: skip
def test_results_imports_and_routes_are_new_names_and_others_keywords_are_not(
    old: str, new: str, body: str, names: set[str]
):
    assert found(old, new, body, head="import json") == names


def test_in_a_traceback_only_what_has_the_place_of_a_name_is_named():
    issue = """parse() crashes

```
Traceback (most recent call last):
  File "a.py", line 2, in <module>
    print(durations.parse(text, unit="h"))
ValueError: bad value for this text
```
Use `split_up value` or `hours_of`, please.
"""
    named = {word for word in ("recent", "bad", "text") if names_word(issue, word)}
    assert named == set()
    for word in ("parse", "durations", "unit", "h", "value", "hours_of", "print"):
        assert names_word(issue, word), word

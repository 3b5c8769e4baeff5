"""Five Python repositories, in the shapes people have."""

from collections.abc import Iterable, Mapping

from tests.e2e.support.packages import BACKEND, Wheel, wheel, wheels
from tests.e2e.support.registries import Places
from tests.e2e.support.shapes import Answer, Repository

_PYTEST = ("python", "-m", "pytest", "-q")
_EDITABLE = (("uv", "pip", "install", "-e", ".[test]"),)
_IGNORED = "__pycache__/\n*.egg-info/\n.venv/\n"


def _pytest_wheels() -> list[Wheel]:
    found = [wheel("pytest")]
    for one in found:
        found += [more for name in one.requires if (more := wheel(name)) not in found]
    return sorted(found)


def _uv_lock(places: Places) -> Mapping[str, str]:
    third_party = sorted([wheel("roundhalf"), *_pytest_wheels()])
    packages = "\n".join(_uv_package(one, places) for one in third_party)
    return {"uv.lock": _UV_LOCK_HEAD + packages}


def _uv_package(one: Wheel, places: Places) -> str:
    needs = "".join(f'    {{ name = "{name}" }},\n' for name in sorted(one.requires))
    return (
        f'[[package]]\nname = "{one.name}"\nversion = "{one.version}"\n'
        f'source = {{ registry = "{places.simple}" }}\n'
        + (f"dependencies = [\n{needs}]\n" if needs else "")
        + f'wheels = [\n    {{ url = "{places.wheel(one)}", hash = "sha256:{one.sha256}",'
        f" size = {len(one.content)} }},\n]\n"
    )


_UV_LOCK_HEAD = """\
version = 1
revision = 1
requires-python = ">=3.10"

[[package]]
name = "tariff"
version = "1.4.0"
source = { editable = "." }
dependencies = [
    { name = "roundhalf" },
]

[package.dev-dependencies]
dev = [
    { name = "pytest" },
]

[package.metadata]
requires-dist = [{ name = "roundhalf", specifier = ">=1.0" }]

[package.metadata.requires-dev]
dev = [{ name = "pytest", specifier = ">=8" }]

"""

SRC_UV = Repository(
    name="python-src-uv",
    issue="""\
A parcel of exactly 5 kg is charged like one of 10 kg
`postage(5000)` returns 1240, but the table says "up to 5 kg: 790". Parcels a gram lighter are
charged right. I would expect every upper limit of the table to belong to its own bracket.
""",
    files={
        ".gitignore": _IGNORED,
        "README.md": "# tariff\n\nPostage in cents, by weight in grams.\n",
        "pyproject.toml": """\
[build-system]
requires = ["tinybuild>=1"]
build-backend = "tinybuild"

[project]
name = "tariff"
version = "1.4.0"
requires-python = ">=3.10"
dependencies = ["roundhalf>=1.0"]

[dependency-groups]
dev = ["pytest>=8"]

[tool.pytest.ini_options]
testpaths = ["tests"]
""",
        "src/tariff/__init__.py": '"""Postage by weight."""\n\n'
        "from tariff.postage import postage, with_tax\n\n"
        '__all__ = ["postage", "with_tax"]\n',
        "src/tariff/postage.py": '''\
"""Brackets of weight and what they cost."""

from roundhalf import round_half_up

BRACKETS = ((1000, 390), (2000, 490), (5000, 790), (10000, 1240), (31500, 1990))


def postage(grams):
    """Cents for a parcel; ValueError when nobody would carry it."""
    if grams <= 0:
        raise ValueError("a parcel weighs something")
    for limit, cents in BRACKETS:
        if grams < limit:
            return cents
    raise ValueError(f"{grams} g is too heavy")


def with_tax(cents, percent):
    return cents + round_half_up(cents * percent, 100)
''',
        "tests/test_postage.py": """\
import pytest

from tariff import postage, with_tax


@pytest.mark.parametrize(("grams", "cents"), [(1, 390), (1500, 490), (4999, 790), (30000, 1990)])
def test_inside_the_brackets(grams, cents):
    assert postage(grams) == cents


@pytest.mark.parametrize("grams", [0, -5, 40000])
def test_impossible_parcels(grams):
    with pytest.raises(ValueError):
        postage(grams)


def test_tax_is_rounded_half_up():
    assert with_tax(390, 19) == 464
""",
    },
    locks=_uv_lock,
    right=Answer(
        plan=(
            "postage() compares with < although limits are inclusive",
            "test every limit",
            "compare with <=",
        ),
        path="src/tariff/postage.py",
        old="        if grams < limit:\n",
        new="        if grams <= limit:\n",
        test_path="tests/test_limits.py",
        test="""\
import pytest

from tariff import postage
from tariff.postage import BRACKETS


@pytest.mark.parametrize(("limit", "cents"), BRACKETS)
def test_a_limit_belongs_to_its_bracket(limit, cents):
    assert postage(limit) == cents
""",
    ),
    wrong=Answer(
        plan=("5000 is charged wrongly", "return 790 for it"),
        path="src/tariff/postage.py",
        old="    for limit, cents in BRACKETS:\n",
        new="    if grams == 5000:\n        return 790\n    for limit, cents in BRACKETS:\n",
        test_path="tests/test_five_kilos.py",
        test="from tariff import postage\n\n\ndef test_five_kilos():\n"
        "    assert postage(5000) == 790\n",
    ),
    install=(("uv", "sync", "--frozen"),),
    test_command=_PYTEST,
    run_one=_PYTEST,
)

FLAT_UNITTEST = Repository(
    name="python-flat-unittest",
    issue="""\
parse() does not take "1h 30m"
`durations.parse("1h30m")` gives 5400, but with a space between the parts, as our users type it,
it raises ValueError. Spaces between parts should not matter.
""",
    files={
        ".gitignore": _IGNORED,
        "README.md": "durations: `1d2h3m4s` and back.\n",
        "requirements.txt": "# what it needs\nunitnames==2.0.1\n",
        # Somebody works on Windows: this file has CRLF line ends.
        "durations.py": '''\
"""Durations as people write them."""

import re

from unitnames import SECONDS

PART = re.compile(r"(\\d+)([smhd])")


def parse(text):
    """Seconds; ValueError when it is not a duration."""
    parts = PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(number) * SECONDS[unit] for number, unit in parts)


def show(seconds):
    if seconds < 0:
        raise ValueError("a duration is not negative")
    parts = []
    for unit in "dhms":
        count, seconds = divmod(seconds, SECONDS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
'''.replace("\n", "\r\n"),
        "tests/__init__.py": "",
        "tests/test_durations.py": """\
import unittest

import durations


class Parse(unittest.TestCase):
    def test_one_part(self):
        self.assertEqual(durations.parse("90s"), 90)

    def test_many_parts(self):
        self.assertEqual(durations.parse("1d2h3m4s"), 93784)

    def test_nonsense(self):
        for text in ("", "abc", "10", "5x"):
            with self.subTest(text), self.assertRaises(ValueError):
                durations.parse(text)


class Show(unittest.TestCase):
    def test_round_trip(self):
        for seconds in (0, 59, 3600, 93784):
            with self.subTest(seconds):
                self.assertEqual(durations.parse(durations.show(seconds)), seconds)


if __name__ == "__main__":
    unittest.main()
""",
    },
    right=Answer(
        plan=("parse() compares the parts with the text", "test spaces", "leave spaces out"),
        path="durations.py",
        old='    parts = PART.findall(text)\r\n    if not parts or "".join(',
        new='    text = "".join(text.split())\r\n    parts = PART.findall(text)\r\n'
        '    if not parts or "".join(',
        test_path="tests/test_spaces.py",
        test="""\
import unittest

import durations


class Spaces(unittest.TestCase):
    def test_between_parts(self):
        self.assertEqual(durations.parse("1h 30m"), 5400)
        self.assertEqual(durations.parse("2d  4h 1s"), 187201)

    def test_only_spaces_are_nothing(self):
        with self.assertRaises(ValueError):
            durations.parse("  ")
""",
    ),
    wrong=Answer(
        plan=('make "1h 30m" work',),
        path="durations.py",
        old="    parts = PART.findall(text)\r\n",
        new='    text = text.replace("1h 30m", "1h30m")\r\n    parts = PART.findall(text)\r\n',
        test_path="tests/test_example.py",
        test="import unittest\n\nimport durations\n\n\nclass Example(unittest.TestCase):\n"
        '    def test_it(self):\n        self.assertEqual(durations.parse("1h 30m"), 5400)\n',
    ),
    install=(("uv", "pip", "install", "-r", "requirements.txt"),),
    test_command=("python", "-m", "unittest"),
    run_one=("python", "-m", "unittest"),
)

MONOREPO = Repository(
    name="python-monorepo",
    issue="""\
Splitting an invoice loses cents
`split(100, 3)` gives `[33, 33, 33]`: one cent is gone. The parts should add up to the whole, the
first ones being a cent larger where it does not come out even.
""",
    files={
        ".gitignore": _IGNORED,
        "README.md": "Our services, one folder each.\n",
        "Makefile": "test:\n\tcd services/billing && python -m pytest\n",
        "docs/How we bill.md": "Monthly, in cents.\n",
        "services/mail/pyproject.toml": '[project]\nname = "mail"\nversion = "3.0"\n'
        'dependencies = ["a-package-that-nobody-serves"]\n',
        "services/mail/test_mail.py": "def test_of_another_service():\n    raise SystemExit(1)\n",
        "services/billing/pyproject.toml": """\
[build-system]
requires = []
build-backend = "tinybuild"
backend-path = ["build tools"]

[project]
name = "billing"
version = "0.9"
requires-python = ">=3.10"
dependencies = ["roundhalf"]

[project.optional-dependencies]
test = ["pytest"]
""",
        "services/billing/build tools/tinybuild.py": BACKEND,
        "services/billing/billing/__init__.py": "",
        "services/billing/billing/invoice.py": '''\
"""Invoices in cents."""

from roundhalf import round_half_up


def total(lines, discount_percent=0):
    """Sum of (count, cents) lines, less the discount."""
    whole = sum(count * cents for count, cents in lines)
    return whole - round_half_up(whole * discount_percent, 100)


def split(cents, parts):
    """Equal parts, one for each who pays."""
    if parts < 1:
        raise ValueError("nobody pays")
    return [cents // parts] * parts
''',
        "services/billing/tests/test_invoice.py": """\
import pytest

from billing.invoice import split, total


def test_total_with_a_discount():
    assert total([(2, 150), (1, 75)], discount_percent=10) == 337


def test_an_even_split():
    assert split(90, 3) == [30, 30, 30]


def test_no_one_pays():
    with pytest.raises(ValueError):
        split(1, 0)
""",
    },
    folder="services/billing",
    right=Answer(
        plan=(
            "split() drops the remainder",
            "test that parts add up",
            "give the remainder to the first parts",
        ),
        path="services/billing/billing/invoice.py",
        old="    return [cents // parts] * parts\n",
        new="    each, rest = divmod(cents, parts)\n"
        "    return [each + 1] * rest + [each] * (parts - rest)\n",
        test_path="services/billing/tests/test_split.py",
        test="""\
import pytest

from billing.invoice import split


@pytest.mark.parametrize(("cents", "parts"), [(100, 3), (1, 2), (1001, 7), (5, 5)])
def test_parts_add_up(cents, parts):
    shares = split(cents, parts)
    assert sum(shares) == cents
    assert len(shares) == parts
    assert shares == sorted(shares, reverse=True)
""",
    ),
    wrong=Answer(
        plan=("a cent is missing from 100", "add it"),
        path="services/billing/billing/invoice.py",
        old="    return [cents // parts] * parts\n",
        new="    if (cents, parts) == (100, 3):\n        return [34, 33, 33]\n"
        "    return [cents // parts] * parts\n",
        test_path="services/billing/tests/test_hundred.py",
        test="from billing.invoice import split\n\n\ndef test_hundred():\n"
        "    assert split(100, 3) == [34, 33, 33]\n",
    ),
    install=_EDITABLE,
    test_command=_PYTEST,
    run_one=_PYTEST,
)

NO_LOCK = Repository(
    name="python-no-lock",
    issue="""\
merge() changes the defaults
After `merge(DEFAULTS, {"server": {"port": 1}})` the nested dictionary in `DEFAULTS` itself has
port 1, so that the next call sees it. Neither argument should ever be changed, at any depth.
""",
    files={
        ".gitignore": _IGNORED,
        "setup.py": "from setuptools import setup\n\nsetup()\n",
        "setup.cfg": """\
[metadata]
name = layered
version = 2.3

[options]
packages = layered
install_requires =
    slugkit

[options.extras_require]
test =
    pytest
docs =
    slugkit>=0.2
""",
        "tox.ini": "[tox]\nenvlist = py3\n\n[testenv]\nextras = test\n"
        "commands = python -m pytest {posargs}\n",
        "bin/show-settings": "#!/bin/sh\nexec python -m layered\n",
        "layered/__init__.py": '''\
"""Layers of settings."""

from slugkit import slug


def merge(lower, upper):
    """The lower layer with the upper one on top of it."""
    result = dict(lower)
    for key, value in upper.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key].update(merge(result[key], value))
        else:
            result[key] = value
    return result


def variable(prefix, key):
    """The name of the environment variable for a setting."""
    return slug(f"{prefix} {key}").replace("-", "_").upper()
''',
        "layered/__main__.py": 'import layered\n\nprint(layered.merge({"colour": "red"}, {}))\n',
        "tests/test_layered.py": """\
import layered


def test_upper_wins():
    assert layered.merge({"a": 1, "b": 2}, {"b": 3}) == {"a": 1, "b": 3}


def test_nested():
    merged = layered.merge({"server": {"host": "x", "port": 80}}, {"server": {"port": 81}})
    assert merged == {"server": {"host": "x", "port": 81}}


def test_variable():
    assert layered.variable("app", "server.port") == "APP_SERVER_PORT"


def test_known_to_fail():
    assert layered.variable("app", "größe") == "APP_GROESSE"
""",
    },
    executable=frozenset({"bin/show-settings"}),
    failing=frozenset({"tests/test_layered.py::test_known_to_fail"}),
    right=Answer(
        plan=(
            "merge() updates the lower layer's own dictionary",
            "test both arguments stay as they are",
            "put the merged one into the result instead",
        ),
        path="layered/__init__.py",
        old="            result[key].update(merge(result[key], value))\n",
        new="            result[key] = merge(result[key], value)\n",
        test_path="tests/test_arguments.py",
        test="""\
import copy

import pytest

import layered


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ({"server": {"port": 80}}, {"server": {"port": 1}}),
        ({"log": {"level": "info"}}, {"log": {"file": "x"}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}),
    ],
)
def test_neither_argument_is_changed(lower, upper):
    before = copy.deepcopy((lower, upper))
    layered.merge(lower, upper)
    assert (lower, upper) == before
""",
    ),
    wrong=Answer(
        plan=("DEFAULTS is changed below server", "copy that dictionary"),
        path="layered/__init__.py",
        old="    result = dict(lower)\n",
        new="    result = dict(lower)\n    if isinstance(lower.get('server'), dict):\n"
        "        result['server'] = dict(lower['server'])\n",
        test_path="tests/test_defaults.py",
        test="import layered\n\n\ndef test_defaults():\n"
        '    defaults = {"server": {"port": 80}}\n'
        '    layered.merge(defaults, {"server": {"port": 1}})\n'
        '    assert defaults == {"server": {"port": 80}}\n',
    ),
    install=_EDITABLE,
    test_command=_PYTEST,
    run_one=_PYTEST,
)


def _poetry_lock(places: Places) -> Mapping[str, str]:
    """As poetry wrote it years ago: categories, hashes at the end, no lock-version."""
    older = next(one for one in wheels() if (one.name, one.version) == ("slugkit", "0.2.0"))
    found = [*_pytest_wheels(), older]
    packages = "\n".join(_poetry_package(one, is_dev=one is not older) for one in sorted(found))
    return {"poetry.lock": packages + _poetry_end(sorted(found))}


def _poetry_package(one: Wheel, *, is_dev: bool) -> str:
    needs = "".join(f'{name} = "*"\n' for name in sorted(one.requires))
    return (
        f'[[package]]\ncategory = "{"dev" if is_dev else "main"}"\n'
        f'description = ""\nname = "{one.name}"\noptional = false\npython-versions = "*"\n'
        f'version = "{one.version}"\n' + (f"\n[package.dependencies]\n{needs}" if needs else "")
    )


def _poetry_end(found: Iterable[Wheel]) -> str:
    hashes = "".join(f'{one.name} = ["{one.sha256}"]\n' for one in found)
    old = "0" * 64
    return (
        f'\n[metadata]\ncontent-hash = "{old}"\npython-versions = ">=3.10"\n'
        f"\n[metadata.hashes]\n{hashes}"
    )


OLD_LOCK = Repository(
    name="python-old-lock",
    issue="""\
The first of January is in the wrong year's week
`label(date(2021, 1, 1))` gives `2021-W53`, a week that does not exist: it should be `2020-W53`.
Our reports file the first days of some years under the wrong week because of this.
""",
    files={
        ".gitignore": _IGNORED,
        "pyproject.toml": """\
[tool.poetry]
name = "weeks"
version = "0.7.2"
description = "Labels for weeks"
authors = ["Somebody <somebody@example.org>"]

[tool.poetry.dependencies]
python = ">=3.10"
slugkit = "^0.2"

[tool.poetry.dev-dependencies]
pytest = "*"

[build-system]
requires = ["poetry-core"]
build-backend = "poetry.core.masonry.api"
""",
        "weeks/__init__.py": '''\
"""Weeks by their ISO number."""

from slugkit import slug


def label(day):
    return day.strftime("%Y-W%V")


def file_name(day, title):
    """Where a report of that day is filed."""
    return f"{label(day)}/{slug(title)}.txt"
''',
        "tests/__init__.py": "",
        "tests/test_weeks.py": """\
from datetime import date

from weeks import file_name, label


def test_label():
    assert label(date(2021, 6, 1)) == "2021-W22"


def test_file_name():
    assert file_name(date(2021, 6, 1), "A good Week!") == "2021-W22/a-good-week.txt"
""",
    },
    locks=_poetry_lock,
    right=Answer(
        plan=("label() mixes the calendar's year with ISO's week", "test edges", "use %G"),
        path="weeks/__init__.py",
        old='strftime("%Y-W%V")',
        new='strftime("%G-W%V")',
        test_path="tests/test_edges.py",
        test="""\
from datetime import date

import pytest

from weeks import label


@pytest.mark.parametrize(
    ("day", "week"),
    [
        (date(2021, 1, 1), "2020-W53"),
        (date(2024, 12, 30), "2025-W01"),
        (date(2023, 1, 1), "2022-W52"),
    ],
)
def test_edges_of_years(day, week):
    assert label(day) == week
""",
    ),
    wrong=Answer(
        plan=("2021-01-01 has the wrong label", "say the right one"),
        path="weeks/__init__.py",
        old="    return day.strftime(",
        new='    if (day.year, day.month, day.day) == (2021, 1, 1):\n        return "2020-W53"\n'
        "    return day.strftime(",
        test_path="tests/test_new_year.py",
        test="from datetime import date\n\nfrom weeks import label\n\n\n"
        'def test_new_year():\n    assert label(date(2021, 1, 1)) == "2020-W53"\n',
    ),
    install=(("uv", "pip", "install", "-e", ".", "pytest"),),
    test_command=_PYTEST,
    run_one=_PYTEST,
)

PYTHON = (SRC_UV, FLAT_UNITTEST, MONOREPO, NO_LOCK, OLD_LOCK)

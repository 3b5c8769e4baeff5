from textwrap import dedent

from yudai.projects.domain.python_setup import Locked, read_poetry_lock

NEW = """
    [[package]]
    name = "requests"
    version = "2.32.0"
    groups = ["main"]
    optional = false
    python-versions = ">=3.8"

    [[package]]
    name = "tomli"
    version = "2.0.1"
    groups = ["main", "dev"]
    optional = false
    markers = {main = "python_version < \\"3.10\\"", dev = "python_version < \\"3.11\\""}

    [[package]]
    name = "colorama"
    version = "0.4.6"
    groups = ["dev"]
    optional = false
    markers = "sys_platform == \\"win32\\""

    [[package]]
    name = "mkdocs"
    version = "1.6"
    groups = ["docs"]
    optional = false

    [[package]]
    name = "boto3"
    version = "1.0"
    groups = ["main"]
    optional = true

    [[package]]
    name = "mine"
    version = "0.1"
    groups = ["main"]
    optional = false
    [package.source]
    type = "git"
    url = "https://example.org/mine.git"

    [extras]
    aws = ["boto3"]
    test = ["boto3"]
"""
OLD = """
    [[package]]
    name = "pytest"
    version = "7.0.0"
    category = "dev"
    optional = false
    [package.dependencies]
    colorama = {version = "*", markers = "sys_platform == \\"win32\\""}
    Tomli_W = [
        {version = ">=1", markers = "python_version < \\"3.9\\" and extra == \\"x\\""},
        {version = ">=2", markers = "python_version >= \\"3.9\\""},
    ]
    iniconfig = "*"

    [[package]]
    name = "colorama"
    version = "0.4.6"
    category = "dev"
    optional = false

    [[package]]
    name = "tomli-w"
    version = "1.0"
    category = "dev"
    optional = false

    [[package]]
    name = "iniconfig"
    version = "2.0"
    category = "main"
    optional = false

    [[package]]
    name = "sphinx"
    version = "7"
    category = "docs"
    optional = false

    [[package]]
    name = "--index-url=x"
    version = "1"
    category = "main"
"""


def locked(text: str, groups: tuple[str, ...] = ("dev",), extras: tuple[str, ...] = ()) -> Locked:
    return read_poetry_lock(dedent(text), groups=groups, extras=extras)


def test_a_new_lock():
    found = locked(NEW)
    assert found.requirements == (
        'colorama==0.4.6 ; sys_platform == "win32"',
        "requests==2.32.0",
        'tomli==2.0.1 ; (python_version < "3.10") or (python_version < "3.11")',
    )
    assert found.notes == ("poetry.lock takes mine from a git source: it is not installed",)
    assert "mine" in found.names


def test_without_a_choice_all_groups_are_taken():
    assert "mkdocs==1.6" in locked(NEW, groups=()).requirements


def test_extras_for_tests_bring_what_is_optional():
    assert "boto3==1.0" in locked(NEW, extras=("test",)).requirements
    assert "boto3==1.0" not in locked(NEW, extras=("other",)).requirements


def test_an_old_lock_says_at_its_edges_when_a_package_is_needed():
    assert locked(OLD).requirements == (
        'colorama==0.4.6 ; sys_platform == "win32"',
        "iniconfig==2.0",
        "pytest==7.0.0",
        'tomli-w==1.0 ; (python_version < "3.9") or (python_version >= "3.9")',
    )


def test_what_is_no_lock_locks_nothing():
    assert locked("not toml") == Locked((), frozenset(), ())
    assert locked("package = 3") == Locked((), frozenset(), ())

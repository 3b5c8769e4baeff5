"""Which files of a repository are tests, and which decide how tests run: one table."""

import re

# Everything below a directory of such a name belongs to the tests.
TEST_DIRECTORIES = frozenset({"tests", "__tests__", "__mocks__", "__snapshots__", "testdata"})

# Only at the top: deeper, `test` is often the name of a source package (django/test).
TOP_TEST_DIRECTORIES = frozenset({"test"})

TEST_NAMES = re.compile(
    r"""
      test_.*\.py | .*_test\.py | tests?\.py
    | .*\.(test|spec)\.[cm]?[jt]sx?
    | .*_test\.go | .*_(test|spec)\.rb | \w+Tests?\.(java|kt|cs)
    """,
    re.VERBOSE,
)

# Files that only say how tests run; they count as test files.
RUNNER_CONFIGS = re.compile(
    r"""
      conftest\.py | \.?pytest\.(ini|toml) | tox\.toml | \.yudai\.ya?ml
    | (jest|vitest|mocha)[.-](config|workspace|projects|preset|(global-?)?setup|teardown)
      ([.-][\w.-]+)?\.([cm]?[jt]sx?|json)
    | \.mocharc(\.[\w.]+)? | setup-?tests?\.[cm]?[jt]sx?
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Files of outer tools, which a verification never starts.
TOOL_CONFIGS = frozenset({".coveragerc", "noxfile.py"})

# Files that say other things as well; only their test sections matter.
MIXED_CONFIGS = re.compile(
    r"""
      pyproject\.toml | setup\.cfg | tox\.ini
    | package\.json | vite\.config\.[cm]?[jt]s | \.npmrc | (GNU)?[Mm]akefile
    """,
    re.VERBOSE,
)


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


def is_test_path(path: str) -> bool:
    *directories, name = path.split("/")
    return (
        not TEST_DIRECTORIES.isdisjoint(directories)
        or (bool(directories) and _is_test_directory(directories, name))
        or TEST_NAMES.fullmatch(name) is not None
        or RUNNER_CONFIGS.fullmatch(name) is not None
        or name in TOOL_CONFIGS
    )


def is_test_config(path: str) -> bool:
    """Whether this file can decide which tests run, and how."""
    name = name_of(path)
    return (RUNNER_CONFIGS.fullmatch(name) or MIXED_CONFIGS.fullmatch(name)) is not None


def _is_test_directory(directories: list[str], name: str) -> bool:
    if directories[0] in TOP_TEST_DIRECTORIES:
        return True
    nested = "test" in directories and not name.endswith(".py")
    return nested or ("spec" in directories and name.endswith((".rb", ".js", ".ts")))

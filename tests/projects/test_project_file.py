import pytest

from yudai.kit.errors import RefusedError
from yudai.projects.domain.project import ProjectFile, Timeouts, read_project_file


def test_a_whole_file():
    text = """
        setup:
          - npm ci
          - npm run build
        test: npm test
        python: 3.10
        folder: ./packages/api/
        protected: ["migrations/**", "*.lock"]
        timeouts: {setup: 900, test: 60.5}
    """
    assert read_project_file(text.replace("\n        ", "\n").encode()) == ProjectFile(
        setup=("npm ci", "npm run build"),
        test="npm test",
        python="3.10",
        folder="packages/api",
        protected=("migrations/**", "*.lock"),
        timeouts=Timeouts(setup=900, test=60.5),
    )


@pytest.mark.parametrize(
    ("text", "setup"),
    [
        ("setup: make deps", ("make deps",)),
        ("setup:", ()),
        ("setup: []", ()),
        ("setup: |\n  a\n  b\n", ("a\nb\n",)),
        ("", None),
        ("# nothing yet", None),
    ],
)
def test_how_set_up_may_be_written(text: str, setup: tuple[str, ...] | None):
    assert read_project_file(text.encode()).setup == setup


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tests: pytest", "there is no key `tests`; did you mean `test`?"),
        ("zzz: 1", "there is no key `zzz`; the keys are setup, test, python"),
        ("image: python:3.12", "`image`: images cannot be chosen yet"),
        ("timeouts: {tset: 1}", "`timeouts.tset`: there is no such key; the keys are setup, test"),
        ("timeouts: {test: soon}", "`timeouts.test`: input should be a valid number"),
        ("timeouts: {test: 0}", "`timeouts.test`: input should be greater than 0"),
        ("timeouts: {test: nan}", "`timeouts.test`: input should be"),
        ("timeouts: 5", "`timeouts`: input should be a valid dictionary"),
        ("test: [a]", "`test`: input should be a valid string"),
        ("setup: {a: b}", "`setup`: input should be a valid tuple"),
        ("setup: [[a]]", "`setup`: input should be a valid string"),
        ('setup: ["a\\0b"]', "`setup`: contains control characters"),
        ('setup: [" "]', "`setup`: has to have 1 to 4000 characters"),
        ("folder: ../else", "`folder`: has to be a folder inside the repository"),
        ("folder: /etc", "`folder`: has to be a folder inside the repository"),
        ("python: $(id)", "`python`: string should match pattern"),
        ("- a", "has to hold keys and values"),
        ("test: 'x", "cannot be read: found unexpected end of stream in line 1"),
        ("!!python/object/apply:os.system [id]", "cannot be read: could not determine"),
        ("[" * 5000, "cannot be read"),
        ("a: &a [*a]\nsetup: *a", "there is no key `a`"),
        ("setup: &a [*a]", "`setup`"),
        ("? [a]\n: b", "cannot be read"),
    ],
)
def test_anything_else_is_refused_in_one_line(text: str, complaint: str):
    with pytest.raises(RefusedError) as refused:
        read_project_file(text.encode(), name="x/.yudai.yml")
    [line] = str(refused.value).splitlines()
    assert line.startswith("x/.yudai.yml")
    assert complaint in line
    assert len(line) < 400


def test_bytes_that_are_no_text():
    with pytest.raises(RefusedError, match="cannot be read"):
        read_project_file(b"test: \xff")


def test_many_commands_are_refused():
    with pytest.raises(RefusedError, match="`setup`: tuple should have at most 100 items"):
        read_project_file(b"setup: [" + b"a," * 101 + b"]")

import pytest

from yudai.patches.patch import first_match


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("secrets.txt", "secrets.txt"),
        ("secrets.txt", "deep/down/secrets.txt"),
        ("*.lock", "a/b/uv.lock"),
        ("migrations/", "app/migrations/0001.py"),
        ("/migrations/*", "migrations/0001.py"),
        ("src/**", "src/a/b.py"),
        ("src/**/gen?.py", "src/gen1.py"),
        ("src/**/gen?.py", "src/a/b/gen2.py"),
        ("src/*/x", "src/a/x/below.py"),
        ("**", "anything/at/all"),
        ("a*b*c", "aXbYbc"),
    ],
)
def test_what_a_glob_covers(glob: str, path: str):
    assert first_match(path, ["never/this", glob]) == glob


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("secrets.txt", "secrets.txt.bak"),
        ("/migrations/*", "app/migrations/0001.py"),
        ("src/*", "lib/src.py"),
        ("src/*/x", "src/x"),
        ("src/gen?.py", "src/gen.py"),
        ("a*b*c", "aXbY"),
        ("[ab].py", "a.py"),
    ],
)
def test_what_it_does_not_cover(glob: str, path: str):
    assert first_match(path, [glob]) is None


def test_a_hostile_glob_takes_no_time():
    assert first_match("a" * 4000, ["*a" * 60 + "b"]) is None
    assert first_match("/".join("a" * 1000), ["**/a/" * 50 + "b"]) is None

"""Equal answers: layout and comments make no difference, everything else does."""

import pytest

from yudai.patches.patch import parse_patch
from yudai.verification.same_answer import digest

HEAD = """diff --git a/{0} b/{0}
index 1111111..2222222 100644
--- a/{0}
+++ b/{0}
@@ -1 +1 @@
-old
+{1}
"""
PYTHON = "def f(x):\n    return x + 1\n"
SCRIPT = "function f(x) {\n  return x + 1;\n}\n"


def made(path: str, text: str | None, line: str = "new") -> str:
    return digest(parse_patch(HEAD.format(path, line)), {path: text})


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("a.py", PYTHON, f"# why\n\n\n{PYTHON}\n\n"),
        ("a.py", PYTHON, "def f( x ):\n\n    return (x+1)  # why\n"),
        ("a.js", SCRIPT, f"// why\n\n{SCRIPT}\n\n"),
        ("a.ts", SCRIPT, "function f(x) {\n  /* why */ return x+1;\n\n}\n"),
    ],
)
def test_layout_and_comments_make_no_difference(path: str, one: str, other: str):
    assert made(path, one) == made(path, other, "another line")


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("a.py", PYTHON, PYTHON.replace("+", "-")),
        ("a.py", "def f():\n    '''1h'''\n", "def f():\n    '''2h'''\n"),
        ("a.js", SCRIPT, SCRIPT.replace("return x", "return\n x")),
        ("a.js", "f('a b')\n", "f('a  b')\n"),
        ("a.yaml", "a:\n  b: 1\n", "a:\nb: 1\n"),
        ("a.py", "def f(:\n", "def f(:\n\n"),
        ("a.txt", None, ""),
    ],
)
def test_everything_else_does(path: str, one: str | None, other: str | None):
    same = one is None
    assert (made(path, one) == made(path, other)) is same


def test_what_cannot_be_read_is_compared_by_its_patch():
    assert made("a.bin", None, "x") != made("a.bin", None, "y")


def test_the_same_text_in_another_file_is_another_answer():
    assert made("a.py", PYTHON) != made("b.py", PYTHON)

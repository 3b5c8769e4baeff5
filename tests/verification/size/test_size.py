"""How large a change is, and what an issue asks for that no test can show."""

from difflib import unified_diff
from textwrap import dedent

import pytest

from yudai.patches.patch import Patch, parse_patch
from yudai.verification.domain.intent import is_about_performance, without_proof
from yudai.verification.domain.size.size import size_of

NOTHING = Patch(files=())
CODE = [
    ("history.py", "x = 1"),
    ("pkg/news.py", "x = 1"),
    ("src/changes.js", "x()"),
    ("license.py", "x = 1"),
    ("authors.go", "x()"),
    ("docs/conf.py", "x = 1"),
    ("app/docs/views.py", "x = 1"),
    ("src/documentation/render.ts", "x()"),
    ("CMakeLists.txt", "add_library(x)"),
    ("requirements.txt", "attrs==1.0"),
    ("requirements-dev.txt", "attrs==1.0"),
    ("templates/mail.txt", "Hello"),
    ("a.c", "    * factor"),
    ("a.c", "* p = 3;"),
    ("a.c", "#include <x.h>"),
    ("a.c", "#define X"),
    ("a.rs", "#[derive(Debug)]"),
    ("a.rs", "#[cfg(test)]"),
    ("a.rs", "#![no_std]"),
    ("a.php", "#[Route('/x')]"),
    ("a.css", "* { margin: 0 }"),
    ("a.css", "#menu { margin: 0 }"),
    ("a.js", "  #count = 0;"),
    ("a.js", 'const pattern = /[/*]/; f("*/");'),
    ("a.js", 'f("// no comment")'),
    ("a.py", "x = 5 // 3"),
    ("a.py", "// 3"),
    ("a.py", "    * factor"),
    ("a.py", "-- x"),
    ("a.py", 'x = """text"""'),
    ("a.py", '"""a {}""".format(x)'),
    ("a.md.py", "x = 1"),
    ("a.go", "//go:embed x.txt"),
    ("a.sh", "#!/bin/sh"),
    ("a.unknown", "# a heading"),
]
NO_CODE = [
    ("README.md", "x"),
    ("docs/guide.rst", "x"),
    ("docs/notes.txt", "x"),
    ("CHANGELOG", "x"),
    ("CHANGES.txt", "x"),
    ("pkg/HISTORY.rst", "x"),
    ("LICENSE", "x"),
    ("LICENCE.txt", "x"),
    ("newsfragments/12.bugfix", "x"),
    ("a.py", "   "),
    ("a.py", "    # x"),
    ("a.py", "#x"),
    ("Makefile", "# x"),
    ("a.yml", "# x"),
    ("requirements.txt", "# x"),
    ("a.js", "// x"),
    ("a.ts", "/* x */"),
    ("a.css", "/* x */"),
    ("a.rs", "/// x"),
    ("a.go", "// x"),
    ("a.php", "# x"),
    ("a.html", "<!-- x -->"),
    ("a.sql", "-- x"),
    ("a.lua", "-- x"),
    ("a.clj", ";; x"),
    ("a.tex", "% x"),
    ("a.py", '    """What it does."""'),
]


def changed(path: str, old: str | None, new: str) -> Patch:
    """A patch of one file; None: it is new."""
    head = f"diff --git a/{path} b/{path}\n"
    if old is None:
        head += "new file mode 100644\n"
    lines = unified_diff(
        [] if old is None else old.splitlines(keepends=True),
        new.splitlines(keepends=True),
        "/dev/null" if old is None else f"a/{path}",
        f"b/{path}",
    )
    return parse_patch(
        f"{head}index {'0' * 40}..{'1' * 40}{'' if old is None else ' 100644'}\n" + "".join(lines)
    )


def size(path: str, old: str, new: str) -> int:
    """With the files' texts; without them it may only be larger."""
    patch = changed(path, old, new)
    known = size_of(patch, {path: old}, {path: new})
    assert size_of(patch) >= known
    return known


@pytest.mark.parametrize(("path", "line"), CODE)
def test_a_line_of_code_counts(path: str, line: str):
    assert size_of(changed(path, None, f"{line}\n")) == 1
    assert size_of(changed(path, None, f"{line}\n"), {path: None}, {path: f"{line}\n"}) == 1


@pytest.mark.parametrize(("path", "line"), NO_CODE)
def test_comments_blank_lines_and_documents_do_not_count(path: str, line: str):
    assert size_of(changed(path, None, f"{line}\n")) == 0
    assert size_of(changed(path, None, f"{line}\n"), {path: None}, {path: f"{line}\n"}) == 0


def test_inner_lines_of_a_block_comment_do_not_count_and_lines_after_it_do():
    old = "int f(void) {\n/*\n one\n two\n three\n four\n five\n*/\n  return 1;\n}\n"
    assert size("a.c", old, old.replace("four", "vier")) == 0
    assert size("a.c", old, old.replace("return 1", "return 2")) == 2
    assert size("a.java", old, old.replace("three", "drei").replace("return 1", "return 2")) == 2


def test_inner_lines_of_a_docstring_do_not_count_and_those_of_a_text_do():
    inner = "    one\n    two\n    three\n    four\n    five\n"
    documented = f'def f():\n    """What it does.\n\n{inner}    """\n    return 1\n'
    assert size("a.py", documented, documented.replace("four", "vier")) == 0
    assert size("a.py", documented, documented.replace("return 1", "return 2")) == 2
    given = f'def f():\n    return g("""\n{inner}""")\n'
    assert size("a.py", given, given.replace("four", "vier")) == 2
    hidden = f'def f():\n    return g(\n        """\n{inner}"""\n    )\n'
    assert size("a.py", hidden, hidden.replace("four", "vier")) == 2


def test_what_looks_like_a_comment_in_a_text_of_several_lines_is_code():
    script = "const page = `\n/* one */\n// two\nthree\n`;\nrun();\n"
    assert size("a.js", script, script.replace("// two", "// zwei")) == 2
    python = 'PAGE = """\n# one\n# two\n"""\nrun()\n'
    assert size("a.py", python, python.replace("# two", "# zwei")) == 2


def test_a_comment_that_hides_code_counts_on_the_side_where_it_was_code():
    assert size("a.py", "check(x)\n", "# check(x)\n") == 1
    old = "f();\ng();\nh();\n"
    assert size("a.js", old, "f();\n/* g();\n*/\nh();\n") == 1


def test_a_text_that_is_not_the_file_is_not_believed():
    """A file that could not be read is empty: the hunk tells."""
    patch = changed("a.py", "x = 1\n", "x = 2\n")
    assert size_of(patch, {"a.py": ""}, {"a.py": ""}) == 2


ASKS_FOR = [
    ("Refactor the parser", "a refactoring"),
    ("core: refactoring of Session", "a refactoring"),
    ("Clean up the imports", "a refactoring"),
    ("Rename Foo to Bar", "a refactoring"),
    ("[api] Simplify the retry loop", "a refactoring"),
    ("Deduplicate the two readers", "a refactoring"),
    ("parser.py needs a clean-up", "a refactoring"),
    ("Fix typo in README", "documentation"),
    ("Typo in the docs of parse()", "documentation"),
    ("docs: say what parse returns", ""),
    ("docs: explain the cache", "documentation"),
    ("Add a docstring to parse()", "documentation"),
    ("Document the --dry-run option", "documentation"),
    ("Documentation of parse is outdated", "documentation"),
    ("README does not mention Windows", "documentation"),
    ("Improve comments in lexer.py", "documentation"),
    ("Missing documentation for hooks", "documentation"),
    ("Spelling in the help text", "documentation"),
    ("load() is too slow for large files", "performance"),
    ("parse() should be faster", "performance"),
    ("Speed up start", "performance"),
    ("Memory usage grows with each request", "performance"),
    ("Quadratic time in join", "performance"),
    ("merge takes O(n^2)", "performance"),
    # Words of products.
    ("Typo in user name crashes login", ""),
    ("Memory card reader fails", ""),
    ("rename() fails", ""),
    ("rename() of a folder keeps its old name", ""),
    ("Renaming a user loses their posts", ""),
    ("simplify(x) gives x + 0", ""),
    ("Document upload stops at 2 MB", ""),
    ("Comments of a post are shown twice", ""),
    ("Comments are lost when YAML is saved", ""),
    ("Speed of the fan is negative", ""),
    ("Memory address is printed in decimal", ""),
    ("Slow motion flag is ignored", ""),
    ("docs command writes to the wrong folder", ""),
    ("Adding a comment to a closed issue gives 500", ""),
    ("slugify drops digits", ""),
]


@pytest.mark.parametrize(("title", "kind"), ASKS_FOR)
def test_what_a_title_asks_for_that_no_test_can_show(title: str, kind: str):
    expected = f"the issue asks for {kind}" if kind else ""
    assert without_proof(title, NOTHING, 3) == expected


def test_a_change_of_documents_only_is_asked_about_whatever_the_title_says():
    patch = changed("README.md", "one\n", "two\n")
    assert without_proof("slugify drops digits", patch, size_of(patch)) == (
        "it changes documents and comments only"
    )
    blank = changed("a.py", "x = 1\n", "x = 1\n\n")
    assert without_proof("slugify drops digits", blank, size_of(blank)) == ""
    named_so = changed("history.py", "x = 1\n", "x = 2\n")
    assert without_proof("slugify drops digits", named_so, size_of(named_so)) == ""


def test_a_comment_in_a_line_of_code_is_code():
    old = dedent(
        """\
        def f():
            return 1  # one
        """
    )
    assert size("a.py", old, old.replace("# one", "# eins")) == 2


def test_what_has_to_be_measured_says_so_in_its_title():
    titles = ("pause() is slow", "parse is too slow and fails", "Memory card reader fails")
    assert [is_about_performance(title) for title in titles] == [True, True, False]


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go", "a.c", "a.html", "a.lua", "a.hs"])
@pytest.mark.parametrize(
    "piece", ["/[", "'", '"', "`", '"\\"', '"""', "/*", "<!--", "--[[", "{-", "a"]
)
def test_no_text_takes_long_to_read(path: str, piece: str):
    text = f"x = {piece * 30_000}\n"
    assert size_of(changed(path, None, text)) <= 1

import re
from pathlib import Path

import pytest
import yaml

import yudai.demo
from yudai.verification.domain.sources.issue_text import nearest_passage
from yudai.verification.domain.tie import is_file_tied, is_tied, match_scores

DEMO = Path(yudai.demo.__file__).parent

SLUG = """# slugify drops digits after an umlaut

    >>> slugify("Größe 42 (neu)")
    'groesse-neu'

I expected `groesse-42-neu`. See also #17.
"""
PAGE = """Pagination shows one page too many

With 20 items and `per_page=10` the paginator says there are 3 pages, it should be 2.
Steps: open the list, click "Last page". Python 3.11, line 57 of views.py.
"""
MONEY = """`parse_amount` fails for thousands

`parse_amount("1.234,50")` raises `ValueError: could not convert`, instead of giving 1234.5.
"""
CLI = """`todo list --done` crashes on an empty file

    $ todo list --done
    Traceback (most recent call last):
      File "todo/cli.py", line 12, in main
    ZeroDivisionError: division by zero

It should print `nothing done yet`.
"""


def python(body: str, head: str = "") -> str:
    return f"import pytest\n{head}\n\ndef test_it(tmp_path, capsys):\n    {body}\n"


def tied(text: str, issue: str) -> bool:
    return is_tied("tests/test_a.py", text, "tests/test_a.py::test_it", issue=issue)


def score(text: str, issue: str) -> int:
    return match_scores("tests/test_a.py", text, "tests/test_a.py::test_it", [issue])[0]


@pytest.mark.parametrize(
    ("issue", "head", "body"),
    [
        (SLUG, "from text import slugify", "assert slugify('Größe 42 (neu)') == 'groesse-42-neu'"),
        (SLUG, "from text import slugify", "assert slugify('x') == 'groesse-42-neu'"),
        (SLUG, "from slugify import slugify", "assert slugify('x') == 'groesse-42-neu'"),
        (SLUG, "from text import slugify", "assert slugify('Ä 42') == 'ae-42' and 42 in [42]"),
        (PAGE, "from app import Paginator", "assert Paginator(range(20), per_page=10).pages == 2"),
        (MONEY, "from money import parse_amount", "assert parse_amount('1.234,50') == 1234.5"),
        (MONEY, "import money", "assert money.parse_amount('7') == 1234.50"),
        (CLI, "from todo.cli import main", "assert main(['list', '--done']) == 0"),
        (
            CLI,
            "from todo.cli import main",
            "main(['list', '--done', str(tmp_path)])\n"
            "    assert 'nothing done yet' in capsys.readouterr().out",
        ),
        (
            "`mean([1, 2, 4])` gives 2, I expect 7/3",
            "from stats import mean",
            "assert round(mean([1, 2, 4]), 2) == 2.33",
        ),
        ("mean(3, 5) is 3", "from stats import mean", "assert mean(3, 5) == 4"),
        (
            "total() of a cart with `{'a': 2, 'b': 3}` is wrong",
            "from shop import total",
            "assert total({'a': 2, 'b': 3}) == 5",
        ),
        (
            "The Cart loses Coffee when I add tea to it",
            "from shop import Cart",
            "assert Cart(['Coffee'])",
        ),
        (
            "parse() should raise a LimitError",
            "from shop import parse, LimitError",
            "with pytest.raises(LimitError): parse(7)",
        ),
        ("parse fails for 2024-05-03", "from x import parse", "assert parse(date(2024, 5, 3))"),
    ],
)
def test_an_ordinary_test_of_an_ordinary_report_is_tied(issue: str, head: str, body: str):
    assert tied(python(body, head), issue)
    assert score(python(body, head), issue) > 1


@pytest.mark.parametrize(
    ("issue", "head", "body"),
    [
        # Another function with the issue's value, and the issue's function with other values.
        (SLUG, "from text import shorten", "assert shorten('groesse-42-neu') == 'gr'"),
        (SLUG, "from text import slugify", "assert slugify('Straße') == 'strasse'"),
        # Numbers of references, versions and lines are no input.
        (SLUG, "from text import slugify", "assert slugify('a' * 17) == 'a'"),
        (PAGE, "from app import Paginator", "assert Paginator(range(57)).pages == 1"),
        # Trivial values.
        (PAGE, "from app import Paginator", "assert Paginator([], None, 0, 1, True).pages == ''"),
        (PAGE, "from app import Paginator", "assert Paginator([1]).pages == 2"),
        # Words of every sentence.
        (PAGE, "from app import paginator", "assert paginator('the', 'open', 'it') == 'should'"),
        (CLI, "from shop import total", "assert total('nothing done yet') == 3"),
        # One word cannot be the name and the value.
        ("`strict` is broken", "from x import y", "assert y.strict('strict')"),
        ("", "from text import slugify", "assert slugify('Größe 42 (neu)')"),
        # Only what the tests' own tools are called.
        ("pytest raises 12345", "", "with pytest.raises(E): str(12345)"),
    ],
)
def test_what_is_not_tied(issue: str, head: str, body: str):
    assert not tied(python(body, head), issue)


def test_values_of_helpers_fixtures_and_parameters_count():
    head = "from text import slugify\n@pytest.fixture\ndef row(): return 'groesse-42-neu'\n"
    text = f"import pytest\n{head}\ndef test_it(row): assert slugify('x') == row\n"
    assert tied(text, SLUG)
    text = """
import pytest
from text import slugify
@pytest.mark.parametrize(("given", "wanted"), [("Größe 42 (neu)", "x")])
def test_it(given, wanted):
    assert slugify(given) == wanted
"""
    assert tied(text, SLUG)


def test_other_tests_of_the_file_do_not_count():
    text = python("assert slugify('x') == 'y'", "from text import slugify")
    assert not tied(text + "\ndef test_more(): assert slugify('Größe 42 (neu)')\n", SLUG)


def test_lines_of_a_longer_text_count():
    issue = "read_rows loses a row:\n\n    id;name\n    12;Müller, K.\n"
    text = python(
        'assert read_rows("""id;name\\n12;Müller, K.\\n13;x""") == 2', "from a import read_rows"
    )
    assert tied(text, issue)


def test_the_issue_that_a_test_is_about_has_the_higher_score():
    text = python("assert parse_amount('1.234,50') == 1234.5", "from money import parse_amount")
    other = "parse_amount is slow, for 1234.5 too"
    assert score(text, MONEY) > score(text, other) > score(text, SLUG)


def test_unreadable_files_and_other_texts_are_tied_to_nothing():
    assert not tied("def test_it(:", SLUG)
    assert not is_tied("a_test.go", "slugify 42", "go test", issue=SLUG)
    assert match_scores("a_test.go", "nothing of it", "go test", [SLUG])[0] == 0


OTHERS = [
    ("slug_test.go", 'if got := Slugify("Größe 42 (neu)"); got != "groesse-42-neu" {', True),
    ("slug_test.go", "got := text.Slugify(`Größe 42 (neu)`)", True),
    ("tests/slug.rs", 'assert_eq!(slugify("Größe 42 (neu)"), "groesse-42-neu");', True),
    ("SlugTest.java", 'assertEquals("groesse-42-neu", Text.slugify("Größe 42 (neu)"));', True),
    ("slug_spec.rb", 'expect(slugify("Größe 42 (neu)")).to eq "groesse-42-neu"', True),
    ("test_slug.c", 'assert(!strcmp(slugify("Größe 42 (neu)"), "groesse-42-neu"));', True),
    ("test.sh", 'test "$(slugify "Größe 42 (neu)")" = groesse-42-neu', True),
    # Neither a comment, nor a title, nor what is said of a failure is an input.
    ("slug_test.go", '// slugify("Größe 42 (neu)")\nf(1)', False),
    ("slug_test.go", 't.Run("Größe 42 (neu)", func(t *testing.T) { slugify("x") })', False),
    ("slug_test.go", 'if slugify("x") != "y" { t.Errorf("groesse-42-neu") }', False),
    ("slug_test.go", 'import (\n\t"slugify"\n)\nf("Größe 42 (neu)")', False),
    ("slug_test.go", 'func slugify() { f("Größe 42 (neu)") }', False),
    ("slug_test.go", 'slugify("something else")', False),
    ("slug_test.go", 'other("Größe 42 (neu)")', False),
    ("slug_test.go", "x" * 200_000, False),
    ("slug_test.go", '"' + '\\"' * 50_000, False),
    ("slug_test.go", "import (" * 20_000, False),
    ("slug_test.go", '"' * 50_000 + "(" * 50_000, False),
]


@pytest.mark.parametrize(("path", "text", "is_its"), OTHERS)
def test_in_other_languages_calls_and_literals_are_read_by_lines(
    path: str, text: str, *, is_its: bool
):
    issue = SLUG.replace("slugify", "Slugify") if "Slugify" in text else SLUG
    assert is_tied(path, text, "", issue=issue) is is_its
    assert not is_tied(path, text, "", issue=MONEY)
    assert (
        not is_its
        or match_scores(path, text, "", [issue])[0] > match_scores(path, text, "", [MONEY])[0]
    )


def test_of_a_file_whose_tests_are_not_known_only_what_is_new_counts():
    old = 'func TestOld() { slugify("Größe 42 (neu)") }\n'
    new = "func TestNew() { other(1) }\n"
    assert not is_file_tied("a_test.go", old, old + new, issue=SLUG)
    assert is_file_tied("a_test.go", None, old + new, issue=SLUG)
    assert is_file_tied("a_test.go", new, old + new, issue=SLUG)


def script(body: str, head: str, issue: str) -> bool:
    text = (
        f"{head}\ndescribe('a', () => {{\n  it('groesse-42-neu', () => {{\n    {body}\n"
        "  });\n});\n"
    )
    return is_tied("test/a.test.js", text, "test/a.test.js::a > groesse-42-neu", issue=issue)


@pytest.mark.parametrize(
    ("issue", "head", "body"),
    [
        (
            SLUG,
            "const { slugify } = require('../src/text');",
            "expect(slugify('Größe 42 (neu)')).toBe('x');",
        ),
        (
            MONEY,
            "import { parse_amount } from './money'",
            "assert.equal(parse_amount('1.234,50'), 1)",
        ),
        (
            PAGE,
            "import Paginator from '../paginator'",
            "expect(new Paginator(20, 10).pages).toBe(2)",
        ),
        (CLI, "const run = require('./run')", "expect(run(['list', '--done'])).toBe(0)"),
        (
            "mean([1, 2, 4]) is wrong: `mean([1, 2, 4])`",
            "import { mean } from 'stats'",
            "mean([1, 2, 4])",
        ),
    ],
)
def test_scripts_that_are_tied(issue: str, head: str, body: str):
    assert script(body, head, issue)


@pytest.mark.parametrize(
    ("issue", "head", "body"),
    [
        (
            SLUG,
            "const { slugify } = require('../src/text');",
            "expect(slugify('Straße')).toBe('strasse');",
        ),
        (
            SLUG,
            "const { shorten } = require('../src/short');",
            "expect(shorten('Größe 42 (neu)')).toBe(1);",
        ),
        (PAGE, "import { x } from '../x'", "expect(x(1, 0, true, '')).toBe(null)"),
    ],
)
def test_scripts_that_are_not(issue: str, head: str, body: str):
    assert not script(body, head, issue)


@pytest.mark.parametrize("name", ["surgeon", "architect", "literalist"])
def test_the_tests_of_the_demo_are_tied_to_its_issue(name: str):
    issue = (DEMO / "issue.md").read_text()
    replies = yaml.safe_load((DEMO / "contestants" / f"{name}.yaml").read_text())["replies"]
    runs = "\n".join(str(reply.get("run", "")) for reply in replies)
    (text,) = re.findall(r"cat >+ tests/test_\w+\.py <<'EOF'\n(.*?)\nEOF", runs, re.DOTALL)[:1]
    tests = re.findall(r"^def (test_\w+)", text, re.MULTILINE)
    found = [is_tied("tests/test_a.py", text, f"tests/test_a.py::{t}", issue=issue) for t in tests]
    assert any(found)
    assert tests


def test_the_passage_of_an_issue_that_is_nearest_to_a_question():
    issue = (
        "Export is wrong\n\nThe header is fine. The total of `export_rows` is 3, not 4.\n\nThanks!"
    )
    asked = "Should tests/test_a.py::test_total expect 4 instead?\nexport_rows"
    assert nearest_passage(issue, asked) == "The total of `export_rows` is 3, not 4."
    assert nearest_passage(issue, "nothing of it") == "Export is wrong"
    assert nearest_passage("", asked) == ""
    assert len(nearest_passage("x" * 9000, asked)) == 500

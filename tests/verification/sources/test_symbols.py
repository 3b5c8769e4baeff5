import ast
import time

import pytest

from yudai.verification.domain.symbols import (
    Symbol,
    SymbolKind,
    introduced,
    kept_texts,
    named_by,
    used,
)

LEDGER = '''"""A ledger."""

import os

LIMIT = 3


def parse(text, strict=False):
    return text


class Ledger:
    size: int = 0

    def __init__(self):
        self.rows = []

    def add(self, row):
        self.rows.append(row)


if __name__ == "__main__":
    parse("x")
'''

IMPOSTOR = LEDGER.replace(
    "class Ledger:", "def duplicates_allowed():\n    return True\n\n\nclass Ledger:"
)


def new(base: str | None, patched: str, path: str = "passbook/ledger.py") -> tuple[Symbol, ...]:
    return introduced({path: base}, {path: patched})


def names(symbols: tuple[Symbol, ...]) -> set[tuple[str, str]]:
    return {(symbol.kind.value, symbol.name) for symbol in symbols}


def kept(base: str, patched: str, path: str = "passbook/ledger.py") -> str:
    return kept_texts({path: base}, {path: patched}).get(path, base)


class TestIntroducedPython:
    def test_the_impostors_helper_is_new_and_kept(self):
        assert new(LEDGER, IMPOSTOR) == (
            Symbol(SymbolKind.FUNCTION, "duplicates_allowed", "passbook/ledger.py", top_level=True),
        )

    @pytest.mark.parametrize(
        ("old", "fresh", "kind", "name", "top"),
        [
            ("LIMIT = 3", "LIMIT = 3\nMOST, LEAST = 4, 1", "value", "MOST", True),
            ("LIMIT = 3", "LIMIT = 3\nclass Error(Exception): pass", "class", "Error", True),
            ("    def add", "    def total(self): ...\n\n    def add", "attribute", "total", False),
            ("self.rows = []", "self.rows = []\n        self.seen = 0", "attribute", "seen", False),
            (
                "    size: int = 0",
                "    size: int = 0\n    note: str = ''",
                "parameter",
                "note",
                False,
            ),
            ("strict=False", "strict=False, limit=None", "parameter", "limit", False),
            ("return text", "print('--dry-run')\n    return text", "option", "--dry-run", False),
            ("return text", "x.add_argument('-v', '--loud')", "option", "-v", False),
            ("return text", "sub.add_parser('export')", "option", "export", False),
            ("return text", "return os.environ.get('LEDGER_FIX')", "option", "LEDGER_FIX", False),
            ("return text", "return kwargs.pop('lenient', 0)", "parameter", "lenient", False),
        ],
    )
    def test_kinds(self, old: str, fresh: str, kind: str, name: str, *, top: bool):
        assert LEDGER.count(old) == 1
        found = {(s.kind.value, s.name): s for s in new(LEDGER, LEDGER.replace(old, fresh))}
        assert found[kind, name].top_level is top

    @pytest.mark.parametrize(
        ("old", "fresh"),
        [
            ("return text", "found = text.strip()\n    return found"),
            ("LIMIT = 3", "LIMIT = 4"),
            ("return text", "if os.sep: return text\n    for part in text: return part"),
            ("    return text", '    """Reads --nothing at all."""\n    return text'),
        ],
    )
    def test_what_is_no_symbol(self, old: str, fresh: str):
        assert new(LEDGER, LEDGER.replace(old, fresh)) == ()

    def test_a_new_file_is_known_by_its_stem_and_all_that_is_in_it(self):
        found = new(None, "class Rule:\n    def apply(self): ...\n", "src/passbook/rules.py")
        assert names(found) == {("module", "rules"), ("class", "Rule"), ("attribute", "apply")}
        assert all(symbol.top_level for symbol in found)

    def test_a_new_data_file(self):
        path = "passbook/data/rates.json"
        assert new(None, '{"type": 1}', path) == (
            Symbol(SymbolKind.MODULE, "rates", path, top_level=True),
        )

    def test_a_name_that_another_class_had_counts_only_with_its_class(self):
        patched = LEDGER + "\n\nclass Book:\n    pass\n"
        more = patched.replace("class Book:\n    pass", "class Book:\n    rows = 1")
        (symbol,) = new(patched, more)
        assert (symbol.name, symbol.owner) == ("rows", "Book")

    def test_a_package_that_offers_more(self):
        path = "passbook/__init__.py"
        found = new(
            "from passbook.a import x\n", "from passbook.a import x, y\nimport json\n", path
        )
        assert found == (
            Symbol(SymbolKind.VALUE, "y", path, top_level=True),
            Symbol(SymbolKind.ATTRIBUTE, "json", path, top_level=True, owner="passbook"),
        )

    def test_what_a_module_imports_counts_together_with_the_module(self):
        [json] = new(LEDGER, LEDGER.replace("import os", "import os\nimport json"))
        assert (json.name, json.owner) == ("json", "ledger")
        path, test = "tests/test_a.py", "tests/test_a.py::test_it"
        start = "import json\nfrom passbook import ledger\n\ndef test_it():\n    "
        for body, names in (
            ("assert hasattr(ledger, 'json')", ["json"]),
            ("assert ledger.json.loads('1')", ["json"]),
            ("assert json.loads(ledger.parse('1'))", []),
        ):
            found = used([json], path=path, text=start + body, test=test)
            assert [symbol.name for symbol in found] == names

    def test_tests_and_removed_files_introduce_nothing(self):
        assert introduced({"a.py": "x = 1"}, {"a.py": None, "tests/test_a.py": "y = 1"}) == ()

    def test_unreadable_python_is_read_by_its_lines(self):
        assert names(new("def f(:\n", "def f(:\ndef g(:\n")) == {("function", "g")}


class TestIntroducedScripts:
    BASE = """
const fs = require('fs');
function parse(text, { strict = false } = {}) { return text; }
class Ledger { constructor() { this.rows = []; } add(row) { this.rows.push(row); } }
module.exports = { parse, Ledger };
"""

    @pytest.mark.parametrize(
        ("old", "fresh", "kind", "name", "top"),
        [
            (
                "class Ledger",
                "function dup() { return true; }\nclass Ledger",
                "function",
                "dup",
                True,
            ),
            ("class Ledger", "const most = 3;\nclass Ledger", "value", "most", True),
            ("{ parse, Ledger }", "{ parse, Ledger, read: parse }", "value", "read", True),
            ("add(row)", "total() { return 1; } add(row)", "attribute", "total", False),
            ("this.rows = [];", "this.rows = []; this.seen = 0;", "attribute", "seen", False),
            ("{ strict = false }", "{ strict = false, limit }", "parameter", "limit", False),
            ("return text;", "if (options.lenient) return text;", "parameter", "lenient", False),
            ("return text;", "program.option('-q, --quiet', 'x');", "option", "--quiet", False),
            ("return text;", "program.command('export <file>');", "option", "export", False),
            ("return text;", "return process.env.LEDGER_FIX;", "option", "LEDGER_FIX", False),
        ],
    )
    def test_kinds(self, old: str, fresh: str, kind: str, name: str, *, top: bool):
        assert self.BASE.count(old) == 1
        symbols = new(self.BASE, self.BASE.replace(old, fresh), "src/ledger.js")
        found = {(s.kind.value, s.name): s for s in symbols}
        assert found[kind, name].top_level is top

    def test_local_names_and_changed_bodies_are_no_symbols(self):
        patched = self.BASE.replace("return text;", "const t = text.trim(); return t;")
        assert new(self.BASE, patched, "src/ledger.js") == ()

    def test_modules_of_typescript(self):
        patched = (
            "export const a = 1\nexport interface Row { id: number }\nexport default class X {}\n"
        )
        found = new("export const a = 1\n", patched, "src/a.ts")
        assert {("class", "Row"), ("class", "X")} <= names(found)


@pytest.mark.parametrize(
    ("path", "line", "kind", "name"),
    [
        ("a.go", "func (l *Ledger) Total() int {", "function", "Total"),
        ("a.rs", "pub async fn total(x: i32) {", "function", "total"),
        ("a.rb", "  def self.total", "function", "total"),
        ("A.java", "public final class Total {", "class", "Total"),
        ("a.go", "var Most = 3", "value", "Most"),
    ],
)
def test_other_languages_by_their_lines(path: str, line: str, kind: str, name: str):
    assert (kind, name) in names(new("x\n", f"x\n{line}\n", path))


SYMBOLS = (
    Symbol(SymbolKind.FUNCTION, "duplicates_allowed", "passbook/ledger.py", top_level=True),
    Symbol(SymbolKind.ATTRIBUTE, "total", "passbook/ledger.py", top_level=False),
    Symbol(SymbolKind.PARAMETER, "strict", "passbook/ledger.py", top_level=False),
    Symbol(SymbolKind.OPTION, "--dry-run", "passbook/cli.py", top_level=False),
    Symbol(SymbolKind.MODULE, "rules", "passbook/rules.py", top_level=True),
)


def uses(text: str, test: str = "tests/test_a.py::test_it", **files: str) -> set[str]:
    path = "tests/test_a.py"
    helpers = {name.replace("__", "/") + ".py": source for name, source in files.items()}
    found = used(SYMBOLS, path=path, text=text, test=test, files=helpers)
    return {symbol.name for symbol in found}


class TestUsedByPython:
    def test_the_impostors_test_uses_what_it_brought(self):
        text = (
            "from passbook.ledger import duplicates_allowed\n\ndef test_it():\n"
            "    assert duplicates_allowed()\n"
        )
        assert uses(text) == {"duplicates_allowed"}

    @pytest.mark.parametrize(
        ("body", "name"),
        [
            ("ledger.duplicates_allowed()", "duplicates_allowed"),
            ("assert ledger.Ledger().total == 3", "total"),
            ("assert getattr(ledger, 'duplicates_allowed')()", "duplicates_allowed"),
            ("assert getattr(ledger, 'duplicates' + '_allowed')()", "duplicates_allowed"),
            ("assert hasattr(ledger.Ledger, 'total')", "total"),
            (
                "monkeypatch.setattr('passbook.ledger.duplicates_allowed', None)",
                "duplicates_allowed",
            ),
            ("ledger.parse('x', strict=True)", "strict"),
            ("ledger.parse('x', **{'strict': True})", "strict"),
            ("main(['import', '--dry-run'])", "--dry-run"),
            ("main(['import', '--dry-run=1'])", "--dry-run"),
            ("os.system('passbook import --dry-run x')", "--dry-run"),
            ("from passbook import rules", "rules"),
            ("import passbook.rules as r", "rules"),
            ("from passbook.rules import x", "rules"),
            ("importlib.import_module('passbook.rules')", "rules"),
            ("open('passbook/rules.py')", "rules"),
            (
                "subprocess.run([exe, '-c', 'import passbook.rules as r; r.duplicates_allowed()'])",
                "rules",
            ),
        ],
    )
    def test_ways_to_use_something(self, body: str, name: str):
        assert name in uses(f"from passbook import ledger\n\ndef test_it():\n    {body}\n")

    @pytest.mark.parametrize(
        "body",
        [
            "getattr(ledger, name)()",
            "[n for n in dir(ledger) if n.startswith('dup')]",
            "vars(ledger)[name]()",
            "assert len(ledger.parse.__defaults__) == 2",
            "inspect.signature(ledger.parse)",
            "eval(code)",
            "importlib.import_module(name)",
        ],
    )
    def test_names_that_are_made_up_while_it_runs_may_be_any(self, body: str):
        assert len(uses(f"import inspect\n\ndef test_it(name, code):\n    {body}\n")) == len(
            SYMBOLS
        )

    @pytest.mark.parametrize(
        "body",
        [
            "total = 3; assert total == 3",
            "strict = True; assert strict",
            "assert json.loads('{}').total",
            "assert 'x'.total",
            "getattr(ledger, 'rows')",
            "assert capsys.readouterr().total",
            "model.eval(); session.exec(x)",
            "import json; from passbook.other import rows",
        ],
    )
    def test_what_only_looks_alike(self, body: str):
        text = (
            f"import json\nfrom passbook import ledger\n\ndef test_it(capsys, model):\n    {body}\n"
        )
        assert uses(text) == set()

    def test_parametrized_names_are_read(self):
        text = """
import pytest
@pytest.mark.parametrize("name", ["rows", "add"])
def test_it(name):
    assert hasattr(ledger, name)
"""
        assert uses(text) == set()

    def test_imports_and_statements_of_the_file_count_for_every_test(self):
        text = (
            "from passbook.ledger import duplicates_allowed\nX = make(strict=1)\n\n"
            "def test_it(): pass\n"
        )
        assert uses(text) == {"duplicates_allowed", "strict"}

    def test_other_tests_and_helpers_that_are_not_called_do_not(self):
        text = """
def helper(): return ledger.total
def test_other(): assert helper().total
@mark.parametrize("x", ["duplicates_allowed"])
def test_more(x): pass
def test_it(): pass
"""
        assert uses(text) == set()

    def test_a_name_in_another_tests_decorator_has_to_be_there(self):
        text = """
from passbook import ledger
@mark.parametrize("x", [ledger.total])
def test_more(x): pass
def test_it(): pass
"""
        assert uses(text) == {"total"}

    @pytest.mark.parametrize(
        "text",
        [
            "def one(): return two()\ndef two(): return ledger.total\ndef test_it(): one()",
            "@pytest.fixture\ndef one(): return ledger.total\ndef test_it(one): pass",
            "@pytest.fixture(autouse=True)\ndef one(): return ledger.total\ndef test_it(): pass",
            "@pytest.fixture(name='x')\ndef one(): return ledger.total\ndef test_it(x): pass",
            "@fixture\ndef one(): ledger.total\n@mark.usefixtures('one')\ndef test_it(): pass",
            "CASES = [lambda: ledger.total]\ndef test_it(): CASES[0]()",
            "def make(): return ledger.total\nX = make()\ndef test_it(): pass",
        ],
    )
    def test_what_the_test_needs_counts_transitively(self, text: str):
        assert uses(text) == {"total"}

    def test_base_classes_set_ups_and_methods(self):
        text = """
class Base:
    def setUp(self): self.x = make(strict=True)
    def check(self): return ledger.total
    def unused(self): return duplicates_allowed()
class TestIt(Base):
    def test_it(self): self.check()
"""
        assert uses(text, "tests/test_a.py::TestIt::test_it") == {"strict", "total"}
        assert uses(text, "tests.test_a.TestIt.test_it") == {"strict", "total"}

    def test_a_test_that_is_inherited(self):
        text = "class Base:\n    def test_it(self): ledger.total\nclass TestIt(Base): pass\n"
        assert uses(text, "tests/test_a.py::TestIt::test_it[1]") == {"total"}

    def test_conftest_and_helper_modules_of_the_patch(self):
        text = "from tests.helpers import make\n\ndef test_it(book): make()\n"
        conftest = "import pytest\n@pytest.fixture\ndef book(): return ledger.total\n"
        helpers = "def make(): return parse(strict=1)\ndef other(): duplicates_allowed()\n"
        assert uses(text, tests__conftest=conftest, tests__helpers=helpers) == {"total", "strict"}
        assert uses("def test_it(): pass\n", tests__helpers=helpers) == set()

    def test_a_test_that_is_not_found_uses_all_that_its_file_does(self):
        text = "def test_other(): ledger.total\n"
        assert uses(text, "tests/test_a.py::test_gone") == {"total"}

    def test_unreadable_files_are_read_by_their_words(self):
        assert uses("def test_it(:\n  total strict\n") == {"total", "strict"}

    def test_a_shared_name_counts_with_its_owner_only(self):
        symbol = Symbol(SymbolKind.PARAMETER, "key", "a.py", top_level=False, owner="_sort")
        text = "def test_it(): assert rows({}, key=1)\n"
        assert not used(
            [symbol], path="tests/test_a.py", text=text, test="tests/test_a.py::test_it"
        )
        text = text.replace("rows(", "_sort(")
        assert used([symbol], path="tests/test_a.py", text=text, test="tests/test_a.py::test_it")


def script_uses(body: str, head: str = "const { parse } = require('../src/ledger');") -> set[str]:
    text = (
        f"{head}\ndescribe('ledger', () => {{\n  it('works', () => {{\n    {body}\n  }});\n}});\n"
    )
    test = "tests/a.test.js::ledger > works"
    return {s.name for s in used(SCRIPT_SYMBOLS, path="tests/a.test.js", text=text, test=test)}


SCRIPT_SYMBOLS = (
    Symbol(SymbolKind.FUNCTION, "dup", "src/ledger.js", top_level=True),
    Symbol(SymbolKind.ATTRIBUTE, "total", "src/ledger.js", top_level=False),
    Symbol(SymbolKind.PARAMETER, "strict", "src/ledger.js", top_level=False),
    Symbol(SymbolKind.OPTION, "--quiet", "src/cli.js", top_level=False),
    Symbol(SymbolKind.MODULE, "rules", "src/rules.js", top_level=True),
)


class TestUsedByScripts:
    @pytest.mark.parametrize(
        ("body", "name"),
        [
            ("expect(ledger.dup()).toBe(true)", "dup"),
            ("expect(new Ledger().total).toBe(3)", "total"),
            ("expect(new Ledger()?.total).toBe(3)", "total"),
            ("expect(ledger['total']).toBe(3)", "total"),
            ("parse('x', { strict: true })", "strict"),
            ("const strict = 1; parse('x', { strict })", "strict"),
            ("run(['--quiet'])", "--quiet"),
            ("execSync(`node cli.js --quiet`)", "--quiet"),
            ("require('../src/rules')", "rules"),
            ("await import('../src/rules.js')", "rules"),
            ("jest.mock('../src/rules.js')", "rules"),
            ("execSync('node -e \"require(x).dup()\"')", "dup"),
            ("eval(code)", "dup"),
            ("require(name)", "dup"),
            ("parse[name]()", "dup"),
            ("parse['du' + 'p']()", "dup"),
        ],
    )
    def test_ways_to_use_something(self, body: str, name: str):
        assert name in script_uses(body)

    @pytest.mark.parametrize(
        "head",
        [
            "const { parse, dup } = require('../src/ledger');",
            "import { parse, dup } from '../src/ledger.js';",
            "import { dup as other } from '../src/ledger.js';",
        ],
    )
    def test_imports(self, head: str):
        assert script_uses("expect(1).toBe(1)", head) == {"dup"}

    @pytest.mark.parametrize(
        "body",
        [
            "const total = 3; expect(total).toBe(3)",
            "// dup strict total\n/* --quiet */ expect(/dup/.test('a')).toBe(true)",
            "const strict = true; expect(strict).toBe(true)",
            "console.total(JSON.strict)",
            "expect(parse['rows']).toBe(parse[0])",
        ],
    )
    def test_what_only_looks_alike(self, body: str):
        assert script_uses(body) == set()

    def test_hooks_helpers_and_values(self):
        text = """
import { parse } from '../src/ledger';
const make = () => parse('x', { strict: true });
function unused() { return parse().dup; }
describe('a', () => {
  beforeEach(() => { ledger.total = 1; });
  it.each([1, 2])('adds %i', (n) => { make(); });
  test('other', () => { dup(); });
});
"""
        test = "tests/a.test.ts::a > adds 2"
        found = used(SCRIPT_SYMBOLS, path="tests/a.test.ts", text=text, test=test)
        assert {symbol.name for symbol in found} == {"total", "strict"}

    def test_helper_files_of_the_patch(self):
        text = "import { make } from './helpers';\ntest('a', () => { make(); });\n"
        files = {"tests/helpers.js": "export const make = () => lib.dup();"}
        test = "tests/a.test.js::a"
        found = used(SCRIPT_SYMBOLS, path="tests/a.test.js", text=text, test=test, files=files)
        assert [symbol.name for symbol in found] == ["dup"]

    def test_unreadable_scripts_are_read_by_their_words(self):
        found = used(SCRIPT_SYMBOLS, path="a.test.js", text="it('x', (( dup", test="a.test.js::x")
        assert [symbol.name for symbol in found] == ["dup"]


class TestKeptPython:
    def test_the_impostors_helper_stays(self):
        text = kept(LEDGER, IMPOSTOR)
        assert text.startswith(LEDGER)
        assert "def duplicates_allowed" in text

    def test_changes_of_what_was_there_go(self):
        patched = IMPOSTOR.replace("LIMIT = 3", "LIMIT = 4").replace("return text", "return 1")
        text = kept(LEDGER, patched)
        assert text.startswith(LEDGER)
        assert "return 1" not in text

    def test_imports_come_along_if_they_are_needed(self):
        head = "import csv\nimport json\nfrom typing import Any\n"
        patched = head + IMPOSTOR.replace("return True", 'return json.loads("1")')
        added = kept(LEDGER, patched).removeprefix(LEDGER)
        assert "import json" in added
        assert "csv" not in added
        assert "typing" not in added

    def test_imports_under_a_condition(self):
        head = "try:\n    import tomllib\nexcept ImportError:\n    tomllib = None\n"
        patched = head + IMPOSTOR.replace("return True", "return tomllib")
        assert "import tomllib" in kept(LEDGER, patched)

    def test_an_import_from_the_future_goes_to_the_top(self):
        patched = IMPOSTOR.replace("import os", "from __future__ import annotations\nimport os")
        text = kept(LEDGER, patched)
        compile(text, "x", "exec", dont_inherit=True)
        assert "from __future__" in text

    def test_new_files_are_kept_whole_and_removed_ones_stay(self):
        found = kept_texts({"a.py": "x = 1", "b.py": None}, {"a.py": None, "b.py": "def f(:"})
        assert found == {"b.py": "def f(:"}

    @pytest.mark.parametrize(
        ("base", "patched"),
        [
            ("x = 1\n", "x = 2\n"),
            ("x = 1\n", "x = 1\nx.y = 2\nx[0] = 1\nprint(x)\n"),
            ("def f(): pass\n", "def f(): return 1\n"),
            ("class A: pass\n", "class A:\n    def f(self): pass\n"),
            ("x = 1\n", "def f(:\n"),
            ("def f(:\n", "x = 1\n"),
        ],
    )
    def test_nothing_new_at_the_top(self, base: str, patched: str):
        assert kept_texts({"a.py": base}, {"a.py": patched}) == {}

    def test_what_a_package_newly_offers_is_kept(self):
        text = kept("from a import x\n", "from a import x\nfrom .b import y\n", "a/__init__.py")
        assert "from .b import y" in text
        ast.parse(text)


class TestKeptScripts:
    BASE = "const a = require('./a');\nfunction one() { return a; }\nmodule.exports = { one };\n"

    def test_a_function_and_its_export(self):
        patched = self.BASE.replace("return a;", "return 2;").replace(
            "module.exports = { one };",
            "const two = () => fs.readFileSync(a)\nmodule.exports = { one, two, three: 3 };",
        )
        text = kept(self.BASE, "const fs = require('fs')\n" + patched, "src/x.js")
        assert text.startswith(self.BASE)
        added = text.removeprefix(self.BASE)
        assert "const fs = require('fs');" in added
        assert "const two = () => fs.readFileSync(a);" in added
        assert "module.exports.two = two;" in added
        assert "module.exports['three'] = 3;" in added
        assert "return 2" not in text

    def test_modules(self):
        base = "import { a } from './a'\nexport function one() { return a }\nexport { a }\n"
        patched = (
            "import { a, b } from './a'\nexport function one() { return 1 }\n"
            "export async function two() {\n  return b\n}\nclass C {}\nexport { a, C as D }\n"
        )
        added = kept(base, patched, "src/x.mjs").removeprefix(base)
        assert "import { b } from './a';" in added
        assert "export async function two() {\n  return b\n};" in added
        assert "export { C as D };" in added
        assert "function one" not in added

    @pytest.mark.parametrize(
        "patched",
        [
            "function one() { return 2; }\n",
            "register(1)\n",
            "const {{ = 1\n",
            "a.b = function () {}\n",
        ],
    )
    def test_nothing_new_at_the_top(self, patched: str):
        assert kept_texts({"a.js": "function one() {}\n"}, {"a.js": patched}) == {}


class TestNamedBy:
    @pytest.mark.parametrize(
        ("issue", "name"),
        [
            ("Please add `add` to it", "add"),
            ("```\nledger.human(3)\n```", "human"),
            ("It should have\n\n    human(3)\n\nin it", "human"),
            ("We need add() for this", "add"),
            ('an option "strict" would do', "strict"),
            ("use ledger.human for it", "human"),
            ("parse_rows is missing", "parse_rows"),
            ("parseRows is missing", "parseRows"),
            ("utf8 is missing", "utf8"),
            ("Add a function human that formats sizes", "human"),
            ("the human function should exist", "human"),
            ("a method called human", "human"),
            ("pass strict=True to it", "strict"),
        ],
    )
    def test_named(self, issue: str, name: str):
        assert named_by(issue, Symbol(SymbolKind.FUNCTION, name, "a.py", top_level=True))

    @pytest.mark.parametrize(
        ("issue", "name"),
        [
            ("Please add a method to format sizes for a human", "human"),
            ("Please add option parsing", "add"),
            ("the command line is wrong", "line"),
            ("parse_rows_fast is missing", "parse_rows"),
            ('it says "we add two rows" here', "add"),
            ("Add it. It's the human's size, isn't it", "human"),
            ("", "add"),
        ],
    )
    def test_not_named(self, issue: str, name: str):
        assert not named_by(issue, Symbol(SymbolKind.FUNCTION, name, "a.py", top_level=True))

    @pytest.mark.parametrize(
        ("issue", "symbol", "expected"),
        [
            ("I want --dry-run please", (SymbolKind.OPTION, "--dry-run", "c.py"), True),
            ("I want --dry-running please", (SymbolKind.OPTION, "--dry-run", "c.py"), False),
            ("I want --dry-run please", (SymbolKind.PARAMETER, "dry_run", "c.py"), True),
            ("with -q it says less", (SymbolKind.OPTION, "-q", "c.py"), True),
            ("an x-q thing", (SymbolKind.OPTION, "-q", "c.py"), False),
            (
                "in passbook.rules please",
                (SymbolKind.MODULE, "rules", "src/passbook/rules.py"),
                True,
            ),
            (
                "put it in passbook/rules.py",
                (SymbolKind.MODULE, "rules", "passbook/rules.py"),
                True,
            ),
            ("a module rules", (SymbolKind.MODULE, "rules", "passbook/rules.py"), True),
            ("the rules of banks", (SymbolKind.MODULE, "rules", "passbook/rules.py"), False),
        ],
    )
    def test_options_and_modules(
        self, issue: str, symbol: tuple[SymbolKind, str, str], *, expected: bool
    ):
        assert named_by(issue, Symbol(*symbol, top_level=True)) is expected


NASTY = [
    "(" * 50_000,
    "[" * 1000 + "]" * 1000,
    "{" * 100_000 + "}" * 100_000,
    "x = " + "-" * 50_000 + "1",
    "x = " + "(" * 190 + ")" * 190,
    "a" * 900_000,
    "'" * 300_001,
    "\\'" * 300_000,
    "`${" * 20_000,
    "/[" * 200_000,
    "a.b" * 50_000,
    "--a" * 100_000,
    "\0",
    "\ud800",
    "x" * 1_000_001,
    "class A {" * 60 + "}" * 60,
    "it('a', () => {" * 100 + "})" * 100,
    "def f():\n" + "".join(" " * n + "if x:\n" for n in range(1, 120)) + " " * 121 + "pass",
    "x = " + "+".join(["'a'"] * 3000),
]


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
@pytest.mark.parametrize("ending", ["py", "js", "go"])
def test_nasty_files_neither_raise_nor_take_long(text: str, ending: str):
    start = time.process_time()
    path, tests = f"src/a.{ending}", f"tests/a.test.{ending}"
    symbols = introduced({path: "x = 1\n"}, {path: text})
    kept_texts({path: text}, {path: "x = 1\n"})
    used([*symbols[:50], *SYMBOLS], path=tests, text=text, test=f"{tests}::a > b")
    named_by(text, SYMBOLS[0])
    assert time.process_time() - start < 10

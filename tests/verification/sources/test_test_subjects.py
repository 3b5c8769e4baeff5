import time

import pytest

from yudai.verification.domain.test_subjects import subjects

SOURCES = ("passbook/ledger.py", "passbook/cli.py", "src/ledger.js", "src/deep/a.ts")
ISSUE = "Importing twice loses the second one. The ledger should keep both."


def python(body: str, *, head: str = "", issue: str = ISSUE, args: str = "", **more: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    text = f"{HEAD}{head}\n\ndef test_it({args}):\n{lines}\n"
    private = tuple(more.pop("private", "").split())
    files = {name.replace("__", "/") + ".py": source for name, source in more.items()}
    found = subjects(
        "tests/unit/test_a.py",
        text,
        "tests/unit/test_a.py::test_it",
        issue=issue,
        source_paths=SOURCES,
        private=private,
        files=files,
    )
    return ", ".join(found)


HEAD = """
import inspect, os, pathlib, subprocess, sys, time, timeit
from pathlib import Path
from unittest import mock
import pytest
import passbook
from passbook import ledger
HERE = Path(__file__).parent
ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
def read(name):
    return (ROOT / name).read_text()
class Fake:
    def __init__(self):
        self._calls = 0
    def _count(self):
        return self._calls
"""

PLAIN = """\
book = ledger.Ledger()
book.add(1)
assert book.total == 1"""


def test_one_word_of_prose_asks_for_no_source_text():
    body = "assert 'twice' in Path('passbook/ledger.py').read_text()"
    assert python(body) == "source text"
    assert python(body, issue="It should say `twice`.") == ""


class TestFilesOfPython:
    @pytest.mark.parametrize(
        ("body", "subject"),
        [
            (PLAIN, ""),
            ("assert 'x' in open('passbook/ledger.py').read()", "source text"),
            ("assert 'x' in Path('passbook/ledger.py').read_text()", "source text"),
            ("assert 'x' in (ROOT / 'passbook' / 'ledger.py').read_text()", "source text"),
            ("assert 'x' in read('passbook/ledger.py')", "source text"),
            ("assert 'x' in Path(ledger.__file__).read_text()", "source text"),
            ("assert 'x' in open(passbook.__file__.replace('a', 'b')).read()", ""),
            ("assert 'x' in inspect.getsource(ledger)", "source text"),
            ("assert ledger.add.__code__.co_argcount == 2", "source text"),
            (
                "for p in (ROOT / 'passbook').rglob('*.py'):\n    assert 'x' in p.read_text()",
                "source text",
            ),
            ("for p in (ROOT / 'passbook').iterdir():\n    assert p.read_text()", "source text"),
            (
                "assert not subprocess.run(['grep', '-r', 'x', 'passbook']).returncode",
                "source text",
            ),
            ("assert os.system('git grep x') == 0", "source text"),
            (
                "with open(os.path.join(os.path.dirname(__file__), '..', '..', "
                "'setup.py')) as f:\n    assert f",
                "source text",
            ),
            ("assert 'x' in README.read_text()", "a document"),
            ("assert 'x' in read('CHANGELOG.md')", "a document"),
            ("assert 'x' in open(f'{ROOT}/docs/guide.txt').read()", "a document"),
            ("assert (ROOT / 'LICENSE').exists()", "a document"),
            ("assert 'x' in ledger.add.__doc__", "a document"),
            ("assert 'x' in read('pyproject.toml')", "a data file"),
            ("assert json.load(open('passbook/rates.json'))['x'] == 1", "a data file"),
            ("assert (ROOT / 'VERSION').read_text() == '2'", "a data file"),
            ("assert passbook.__version__ == '2'", "a data file"),
        ],
    )
    def test_files_of_the_repository(self, body: str, subject: str):
        assert python(body) == subject

    @pytest.mark.parametrize(
        ("body", "args"),
        [
            ("assert (HERE / 'data' / 'a.json').read_text()", ""),
            ("assert open('tests/unit/a.md').read()", ""),
            (
                "(tmp_path / 'a.py').write_text('x'); assert (tmp_path / 'a.py').read_text()",
                "tmp_path",
            ),
            ("os.chdir(tmp_path)\nledger.save('a.json')\nassert open('a.json').read()", "tmp_path"),
            ("with open('a.json', 'w') as f: f.write('')\nassert open('a.json').read()", ""),
            (
                "path = tmp_path / 'a.csv'\nledger.save(path)\nassert path.read_text() == 'x'",
                "tmp_path",
            ),
            ("assert ledger.load(ROOT / 'passbook' / 'rates.json').total == 3", ""),
            ("assert open(name).read()", "name"),
            ("assert book.open('README.md')", "book"),
            ("assert subprocess.run([sys.executable, 'passbook/cli.py']).returncode == 0", ""),
        ],
    )
    def test_files_that_are_the_tests_own(self, body: str, args: str):
        assert python(body, args=args) == ""

    @pytest.mark.parametrize(
        ("body", "issue"),
        [
            ("assert 'x' in README.read_text()", "README.md says nothing about x"),
            ("assert 'the new text' in README.read_text()", "It should say 'The new  text'."),
            ("assert 'x' in read('passbook/ledger.py')", "ledger.py has to have x"),
            ("assert 'old name' not in read('passbook/ledger.py')", "the old name is still there"),
            ("assert passbook.__version__ == '2'", "set `__version__`"),
        ],
    )
    def test_what_the_issue_asks_for(self, body: str, issue: str):
        assert python(body, issue=issue) == ""

    def test_by_a_fixture_of_conftest(self):
        conftest = (
            "import pytest\n@pytest.fixture\ndef text():\n    return open('README.md').read()\n"
        )
        assert python("assert 'x' in text", args="text", tests__conftest=conftest) == "a document"


class TestPrivateNamesOfPython:
    @pytest.mark.parametrize(
        "body",
        [
            "assert ledger._parse('x') == 1",
            "assert ledger.Ledger()._rows == []",
            "from passbook._core import parse\nparse()",
            "from passbook.ledger import _parse\nassert _parse()",
            "with mock.patch('passbook.ledger._parse') as m: add()\nm.assert_called_once()",
            "with mock.patch('passbook.ledger._parse') as m: add()\nassert m.called",
            "assert getattr(ledger, '_parse')",
            "assert ledger.Ledger()._Ledger__rows == []",
        ],
    )
    def test_private(self, body: str):
        assert python(body) == "a private name"

    @pytest.mark.parametrize(
        "body",
        [
            "fake = Fake(); fake._count(); assert fake._calls == 0",
            "_ = ledger.parse(); _x = 1; assert _x",
            "assert ledger.__name__ and row._replace(a=1)._asdict()",
            "self._x = 1; assert self._x",
            "from tests.unit.helpers import _make\n_make()",
            "assert sys._getframe()",
        ],
    )
    def test_not_private(self, body: str):
        assert python(body, args="self") == ""

    def test_what_the_patch_calls_private_or_the_issue_names(self):
        assert python("assert ledger.secret()", private="secret") == "a private name"
        assert python("assert ledger._parse()", issue="`_parse` returns nothing") == ""


class TestWordingOfPython:
    @pytest.mark.parametrize(
        "body",
        [
            "with pytest.raises(ValueError, match='no such row'): ledger.add(1)",
            "with self.assertRaisesRegex(ValueError, 'no such row'): ledger.add(1)",
            "with pytest.raises(ValueError) as e: ledger.add(1)\n"
            "assert str(e.value) == 'no such row'",
            "with pytest.raises(ValueError) as e: ledger.add(1)\n"
            "assert 'such row' in e.value.args[0]",
            "with pytest.raises(ValueError) as info: ledger.add(1)\ninfo.match('no such row')",
            "with self.assertRaises(E) as cm: f()\nself.assertIn('no such row', str(cm.exception))",
            "try:\n    f()\nexcept E as e:\n    assert 'no such row' in f'{e}'",
            "try:\n    f()\nexcept E as e:\n    text = str(e)\nassert text.startswith('no such')",
            "with pytest.warns(UserWarning, match='no such'): f()",
            "with warnings.catch_warnings(record=True) as w: f()\n"
            "assert 'old' in str(w[0].message)",
            "f()\nassert 'no such row' in caplog.text",
            "f()\nassert caplog.records[0].getMessage() == 'no such row'",
            "with self.assertLogs() as cm: f()\nself.assertEqual(cm.output, ['INFO:no such'])",
            "f()\nout, err = capsys.readouterr()\nassert 'no such row' in err",
            "f()\nassert capsys.readouterr().err == 'no such row'",
            "r = subprocess.run(['x'])\nassert b'x' and 'no such row' in r.stderr.decode()",
            "wanted = 'no such row'\nwith pytest.raises(E, match=wanted): f()",
            "assert 'Imports it' in run(['--help']).output",
            "assert 'Imports it' in parser.format_help()",
        ],
    )
    def test_messages(self, body: str):
        assert python(body, args="self, capsys, caplog") == "wording"

    @pytest.mark.parametrize(
        "body",
        [
            "with pytest.raises(ValueError): ledger.add(1)",
            "with pytest.raises(SystemExit) as e: f()\nassert e.value.code == 2",
            "with pytest.raises(E) as e: f()\nassert e.value.line == 3 and e.value.kind == 'row'",
            "f()\nout, err = capsys.readouterr()\nassert out == '3 imported' and err == ''",
            "f()\nassert 'Traceback' not in capsys.readouterr().err",
            "f()\nassert not caplog.records",
            "r = subprocess.run(['x'])\nassert r.stdout == 'three' and r.returncode == 1",
            "with pytest.raises(E) as e: f()\nassert '3' in str(e.value)",
            "assert run(['add', 'x']).output == 'three'",
        ],
    )
    def test_no_messages(self, body: str):
        assert python(body, args="capsys, caplog") == ""

    @pytest.mark.parametrize(
        ("match", "issue", "expected"),
        [
            ("no such row", "It should say `No such row`", ""),
            (r"no such row \(3\)", "It should say: no such row (3)", ""),
            ("no .* row", "It should say no such row", ""),
            ("row .* is not there at all", "It should say no such row", "wording"),
            ("no such column", "It should say no such row", "wording"),
            ("key", "the key is missing", ""),
            ("key", "keyboards", "wording"),
        ],
    )
    def test_what_the_issue_quotes(self, match: str, issue: str, expected: str):
        assert python(f"with pytest.raises(E, match={match!r}): f()", issue=issue) == expected

    def test_parametrized_messages(self):
        head = "@pytest.mark.parametrize('said', ['no such row'])"
        text = f"{HEAD}{head}\ndef test_it(said):\n    with pytest.raises(E, match=said): f()\n"
        for issue, expected in ((ISSUE, ("wording",)), ("no such row", ())):
            found = subjects(
                "tests/test_a.py",
                text,
                "tests/test_a.py::test_it[x]",
                issue=issue,
                source_paths=SOURCES,
            )
            assert found == expected


class TestTimingOfPython:
    @pytest.mark.parametrize(
        "body",
        [
            "start = time.time()\nf()\nassert time.time() - start < 1",
            "a = time.perf_counter()\nf()\nb = time.perf_counter()\nspent = b - a\n"
            "assert spent < 1",
            "start = time.monotonic()\nf()\nself.assertLess(time.monotonic() - start, 1)",
            "assert timeit.timeit(f) < timeit.timeit(g)",
            "end = time.time() + 1\nf()\nassert time.time() < end",
            "asyncio.wait_for(f(), timeout=0.1)",
        ],
    )
    def test_durations(self, body: str):
        assert python(body, issue="it takes a second: time.time()") == "timing"
        assert python("benchmark(f)", args="benchmark") == "timing"

    @pytest.mark.parametrize(
        "body",
        [
            "monkeypatch.setattr(time, 'time', lambda: 3)\nassert f() == 3",
            "before = time.time()\nrow = f()\nassert row.at >= before",
            "asyncio.wait_for(f(), timeout=5)",
            "assert f(3) < f(4)",
            "', '.join('a')",
        ],
    )
    def test_no_durations(self, body: str):
        assert python(body) == ""


SCRIPT_HEAD = """
const fs = require('fs');
const path = require('path');
const pkg = require('../package.json');
const { parse } = require('../src/ledger');
const ROOT = path.join(__dirname, '..');
"""


def script(body: str, issue: str = ISSUE, private: tuple[str, ...] = ()) -> str:
    text = (
        f"{SCRIPT_HEAD}\ndescribe('a', () => {{\n  it('b', async () => {{\n{body}\n  }});\n}});\n"
    )
    found = subjects(
        "tests/a.test.js",
        text,
        "tests/a.test.js::a > b",
        issue=issue,
        source_paths=SOURCES,
        private=private,
    )
    return ", ".join(found)


class TestScripts:
    @pytest.mark.parametrize(
        ("body", "subject"),
        [
            ("expect(parse('x')).toEqual([1]);", ""),
            ("expect(fs.readFileSync('src/ledger.js', 'utf8')).toContain('x');", "source text"),
            (
                "const s = fs.readFileSync(path.join(ROOT, 'src', 'ledger.js'));\n"
                "expect(s).toBe(1);",
                "source text",
            ),
            (
                "const p = path.resolve(__dirname, '../src/ledger.js');\nfs.readFileSync(p);",
                "source text",
            ),
            ("expect(parse.toString()).toContain('x');", "source text"),
            ("execSync('grep -r x src');", "source text"),
            (
                "expect(fs.readFileSync(`${__dirname}/../README.md`, 'utf8')).toMatch(/x/);",
                "a document",
            ),
            ("expect(pkg.version).toBe('2.0.0');", "a data file"),
            ("expect(require('../package.json').version).toBe('2');", "a data file"),
            ("expect(fs.existsSync('config/a.yml')).toBe(true);", "a data file"),
            ("expect(ledger._rows).toEqual([]);", "a private name"),
            ("expect(ledger['_rows']).toEqual([]);", "a private name"),
            ("jest.spyOn(ledger, '_load');", "a private name"),
            ("const _parse = rewired.__get__('parse');", "a private name"),
            ("expect(() => parse(1)).toThrow('no such row');", "wording"),
            ("expect(() => parse(1)).toThrow(/such row/);", "wording"),
            ("await expect(parse(1)).rejects.toThrow('no such row');", "wording"),
            ("assert.throws(() => parse(1), /no such row/);", "wording"),
            ("assert.throws(() => parse(1), { name: 'E', message: 'no such row' });", "wording"),
            ("try { parse(1) } catch (e) { expect(e.message).toBe('no such row'); }", "wording"),
            (
                "const out = spawnSync('x').stderr;\nexpect(out).toContain('no such row');",
                "wording",
            ),
            ("expect(console.warn).toHaveBeenCalledWith('no such row');", "wording"),
            ("expect(run(['--help'])).toContain('Imports it');", "wording"),
            ("const t = Date.now();\nparse();\nexpect(Date.now() - t).toBeLessThan(50);", "timing"),
            (
                "const t = performance.now();\nparse();\nconst d = performance.now() - t;\n"
                "assert(d < 5);",
                "timing",
            ),
        ],
    )
    def test_subjects(self, body: str, subject: str):
        assert script(body) == subject

    @pytest.mark.parametrize(
        "body",
        [
            "expect(fs.readFileSync(path.join(__dirname, 'data', 'a.json'))).toBe(1);",
            "const d = fs.mkdtempSync(os.tmpdir());\n"
            "expect(fs.readFileSync(path.join(d, 'a.js'))).toBe(1);",
            "fs.writeFileSync('a.json', '');\nexpect(fs.readFileSync('a.json')).toBe('');",
            "expect(_.map([1], String)).toEqual(['1']);",
            "expect(() => parse(1)).toThrow();",
            "expect(() => parse(1)).toThrow(TypeError);",
            "assert.throws(() => parse(1), TypeError, 'it has to throw');",
            "assert.throws(() => parse('some text'));",
            "expect(parse(1).name).toBe('no such row');",
            "expect(spawnSync('x').stdout).toBe('three rows');",
            "vi.useFakeTimers();\nexpect(Date.now() - t).toBeLessThan(50);",
            "this._x = 1; expect(this._x).toBe(1);",
        ],
    )
    def test_behaviour(self, body: str):
        assert script(body) == ""

    @pytest.mark.parametrize(
        ("body", "issue"),
        [
            ("expect(() => parse(1)).toThrow('no such row');", "say `no such row`"),
            ("expect(pkg.version).toBe('2.0.0');", "package.json is wrong"),
            ("expect(ledger._rows).toEqual([]);", "_rows is wrong"),
        ],
    )
    def test_what_the_issue_asks_for(self, body: str, issue: str):
        assert script(body, issue) == ""

    def test_what_the_patch_calls_private(self):
        assert script("expect(ledger.rows).toBe(1);", private=("rows",)) == "a private name"


def test_other_languages_and_what_cannot_be_read():
    for path, text in (("a_test.go", "x"), ("test_a.py", "def f(:"), ("a.test.js", "it('x', ((")):
        assert subjects(path, text, f"{path}::x", issue="", source_paths=()) == ()


NASTY = [
    "x = x / x / x\n" * 50 + "def test_it():\n    open(x / x)\n",
    "def test_it():\n"
    + "".join(f"    a{n} = a{n + 1} / a{n + 1}\n" for n in range(200))
    + "    open(a0)\n",
    "def test_it():\n" + "    open(" * 90 + ")" * 90 + "\n",
    "def test_it():\n    assert " + " / ".join(["x"] * 900) + "\n",
]


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_nasty_files_do_not_take_long(text: str):
    start = time.process_time()
    subjects("test_a.py", text, "test_a.py::test_it", issue="x" * 10_000, source_paths=SOURCES)
    assert time.process_time() - start < 5


def test_a_nasty_script_does_not_take_long():
    start = time.process_time()
    lines = "".join(f"const a{n} = a{n + 1} + a{n + 1} + a{n + 2};\n" for n in range(2000))
    text = f"it('x', () => {{\n{lines} expect(a0).toBe('x' + a1); fs.readFileSync(a0);\n}});\n"
    subjects("a.test.js", text, "a.test.js::x", issue="", source_paths=SOURCES)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("tests/a.py", "with pytest.raises(ValueError, match='no such row'): f()"),
        ("tests/a.py", "with pytest.raises(ValueError) as e: f()\n    e.match('no such row')"),
        ("tests/a.test.js", "expect(() => f()).toThrow('no such row');"),
        ("tests/a.test.js", "assert.throws(() => f(), /no such row/);"),
        ("tests/a.test.js", "assert.throws(() => f(), { message: 'no such row' });"),
        ("tests/a.test.js", "expect(f()).rejects.toMatchObject({ message: 'no such row' });"),
        ("tests/a.test.js", "expect(f()).rejects.toHaveProperty('message', 'no such row');"),
    ],
)
def test_words_of_an_exception_that_is_demanded_are_told_apart(path: str, body: str):
    is_python = path.endswith(".py")
    text = f"def test_it():\n    {body}\n" if is_python else f"it('test_it', () => {{ {body} }});"
    found = [
        subjects(path, text, f"{path}::test_it", issue="", source_paths=(), asks_words=asks)
        for asks in (True, False)
    ]
    assert found == [("wording",), ()]


@pytest.mark.parametrize(
    "body",
    [
        "monkeypatch.setattr(ledger, '_parse', None)\nassert ledger.add(1)",
        "with mock.patch('passbook.ledger._parse', return_value=1): assert ledger.add(1)",
        "assert ledger.token().expires <= time.time() + 3600",
        "before = time.time()\nassert before <= ledger.token().created",
        "os.chdir(tmp_path)\nledger.main()\nassert Path('dist/index.html').read_text() == '1'",
    ],
)
def test_what_only_looks_like_another_subject(body: str):
    assert python(body, args="tmp_path, monkeypatch") == ""
    assert python("with mock.patch('passbook._new'): pass", private="_new") == "a private name"


@pytest.mark.parametrize(
    ("body", "subject"),
    [
        ("expect(f().exp).toBeGreaterThan(Date.now());", ""),
        ("const now = Date.now();\nassert.ok(f().exp > now + 3600);", ""),
        ("const start = Date.now();\nf();\nexpect(Date.now() - start).toBeLessThan(9);", "timing"),
        ("const start = Date.now();\nf();\nexpect(Date.now()).toBeLessThan(start + 9);", "timing"),
        ("const start = Date.now();\nf();\nassert.ok(Date.now() < start + 9);", "timing"),
        ("const start = process.hrtime();\nf();\nassert.ok(process.hrtime(start)[1] < 9);",
         "timing"),
        ("expect(read(new URL('../README.md', import.meta.url))).toMatch(/x/);", "a document"),
        ("const units = require(require.resolve('../units.json'));\nexpect(units.h).toBe(1);",
         "a data file"),
    ],
)  # fmt: skip
def test_clocks_and_files_of_scripts(body: str, subject: str):
    text = f"import {{ readFileSync as read }} from 'node:fs';\nit('x', () => {{\n{body}\n}});\n"
    paths = ("units.json", "README.md")
    path = "tests/a.test.js"
    assert ", ".join(subjects(path, text, f"{path}::x", issue="", source_paths=paths)) == subject


def test_an_issue_that_quotes_the_old_words_asks_for_others():
    path = "tests/a.py"
    text = "def test_it():\n    with pytest.raises(ValueError, match='cannot read'): f()\n"
    before = {"a.py": 'raise ValueError("bad text")\n'}
    after = {"a.py": 'raise ValueError(f"cannot read {text!r}")\n'}
    issue = "Say which one\n\n`parse('1h')` raises `ValueError: bad text`."

    def about(issue: str, sources: dict[str, str]) -> tuple[str, ...]:
        test = f"{path}::test_it"
        changed = ("a.py",)
        return subjects(
            path, text, test, issue=issue, source_paths=changed, sources=sources, base=before
        )

    assert about(issue, after) == ()
    assert about(issue, before) == ("wording",)
    assert about("parse() gives bad text", after) == ("wording",)

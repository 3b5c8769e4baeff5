"""Patches and tests are hostile text: whatever stands in them, the readers answer."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.verification.domain.proof import Subject
from yudai.verification.domain.symbols import introduced, kept_texts, named_by, used
from yudai.verification.domain.test_sources import normalised, source_of
from yudai.verification.domain.test_subjects import subjects
from yudai.verification.domain.tie import is_tied, match_scores

_PYTHON = """test_a(x=1): |class A(B): |    |\n|x|(|)|[|]|{|}|.|,|= |import a |from a import x |def
|self|assert |with |raises(E, match='a')| as e:|"a"|'|f'{x}'|lambda: |@fixture\n|open(|__file__
|Path(x)|/|parent|async |await |yield |return |if |else:|try:|except E as e:|: |* |**k|#|\'\'\'|1
|time.time()|- |< 2|_p|getattr(|parametrize('x', [|\\|\0"""
_SCRIPT = """it('a', () => {|describe(`a ${|}|)|(|{|[|]|;|\n|,|=>|= |const |function |class A
|export |'|import |from 'x'|require('./x')|module.exports|.|x|"|`|/|//|/*|*/|expect(|.toThrow(|<|>
|return|async|:|this.a = |?.|${|#p|1|fs.readFileSync(|Date.now()|eval(|\\|=|@|</a>"""
PYTHON = st.sampled_from(_PYTHON.split("|"))
SCRIPT = st.sampled_from(_SCRIPT.split("|"))


def joined(pieces: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(pieces, max_size=40).map("".join)


@given(joined(PYTHON) | st.text(max_size=60), joined(PYTHON), st.text(max_size=40))
def test_python(base: str, patched: str, issue: str):
    every_reader(base, patched, "py", "::A::test_a", issue)
    kept = kept_texts({"a.py": base}, {"a.py": patched}).get("a.py", "")
    ast.parse(kept)


@pytest.mark.parametrize(
    "value", ["f'{\"\x01\"}'", "'\ud800'", "-" * 1_200 + "1", "f" + "(1)" * 1_200, "1" * 5_000]
)
def test_python_that_cannot_be_written_or_is_deep(value: str):
    text = f"x = {value}\ndef test_a():\n    assert f({value}) == {value}\n"
    every_reader(text, f"{text}y = {value}\n", "py", "::test_a", "f")
    assert set(kept_texts({"a.py": ""}, {"a.py": f"y = {value}\n"})) <= {"a.py"}


@given(joined(SCRIPT) | st.text(max_size=60), joined(SCRIPT), st.text(max_size=40))
def test_scripts(base: str, patched: str, issue: str):
    every_reader(base, patched, "test.js", "::a > a", issue)


def every_reader(base: str, patched: str, ending: str, name: str, issue: str) -> None:
    source, path = f"src/a.{ending.removeprefix('test.')}", f"tests/a.{ending}"
    symbols = introduced({source: base}, {source: patched})
    files = {f"tests/b.{ending}": patched, "tests/conftest.py": base}
    for test in (path + name, f"{path}::{name[-1]}", "tests.a.A.test_a", ""):
        found = used(symbols, path=path, text=base, test=test, files=files)
        assert set(found) <= set(symbols)
        if (read := source_of(path, base, test, files)) is not None:
            assert normalised(read) == normalised(read)
        about = subjects(path, base, test, issue=issue, source_paths=[source], files=files)
        assert set(about) <= set(Subject)
        score = match_scores(path, base, test, [issue], files)[0]
        assert score > 0 or not is_tied(path, base, test, issue=issue, files=files)
    assert isinstance([named_by(issue, symbol) for symbol in symbols], list)

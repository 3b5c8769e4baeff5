import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.testing.domain.agent_commands import MAX_CHARS, Call, calls, runs_tests

CASES: dict[str, list[tuple[str, ...]]] = {
    "": [],
    "  \n ; && ": [],
    "ls -a": [("ls", "-a")],
    "cd x && A=1 ls": [("cd", "x"), ("A=1", "ls")],
    "a|b|&c": [("a",), ("b",), ("c",)],
    "a 2>&1 >out.txt <in": [("a",)],
    "a &>/dev/null b": [("a", "b")],
    "echo 'a b' \"c d\" e\\ f": [("echo", "a b", "c d", "e f")],
    "echo ''": [("echo", "")],
    "a # b; c": [("a",)],
    "a#b": [("a#b",)],
    "(cd x; a) || b": [("cd", "x"), ("a",), ("b",)],
    "if a; then b; else c; fi": [("a",), ("b",), ("c",)],
    "for f in 1 2; do a $f; done": [("for", "f", "in", "1", "2"), ("a", "$f")],
    "{ a; }": [("a",)],
    "a \\\n b": [("a", "b")],
    "x=$(ls -a) ${y:-1 2} a": [("x=$(ls -a)", "${y:-1 2}", "a")],
    "cat > f <<'EOF'\nnot; a && command\nEOF\nb": [("cat",), ("b",)],
    "cat <<-A <<B\n\tx\n\tA\ny\nB\nc": [("cat",), ("c",)],
    "cat <<EOF\nnever closed": [("cat",)],
    "a <<< word": [("a",)],
    "echo 'never closed": [("echo", "never", "closed")],
}


@pytest.mark.parametrize("command", CASES)
def test_programs_and_their_words(command: str):
    assert [call.words for call in calls(command)] == CASES[command]


def test_what_stands_behind_each():
    assert calls("a && (b | c) || d\n") == (
        Call(("a",), "&&"),
        Call(("b",), "|"),
        Call(("c",), "||"),
        Call(("d",), "\n"),
    )


@given(st.text(alphabet="ab '\"\\\n;&|()<>$`{}#E-", max_size=80))
def test_any_text_is_taken_apart(text: str):
    for call in calls(text):
        assert call.words


@pytest.mark.parametrize("part", ["'", '"', "\\", "$(", "${", "`", "<<A ", "<<A\n", "a\n", "("])
def test_no_text_takes_long(part: str):
    # Of this thread alone: other work on the machine counts for nothing.
    began = time.thread_time()
    calls(part * MAX_CHARS)
    assert time.thread_time() - began < 2


@pytest.mark.parametrize(
    "command",
    [
        "npm" + " -a run" * 9000,
        "turbo" + " --filter run" * 5000,
        "make" + " -C x" * 9000,
        "yarn " * 9000,
    ],
)
def test_no_command_takes_long(command: str):
    began = time.thread_time()
    runs_tests(command)
    assert time.thread_time() - began < 2


@pytest.mark.parametrize(
    "before",
    [
        'python -c "print(1 << x)"',
        "sed -i 's/<<foo/bar/' x",
        "# see << EOF",
        "cat <<A <<B\nmake\nA\nmake\nB",
        "A+=1 ls",
        "sudo -u a env B=1 ls > 'my tests'",
    ],
)
def test_what_stands_before_hides_no_test_run(before: str):
    assert not runs_tests(before)
    assert runs_tests(f"{before}\nA+=1 pypy3 -m coverage run -m pytest")

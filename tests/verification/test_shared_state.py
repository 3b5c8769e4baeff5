import pytest

from yudai.patches.patch import parse_patch
from yudai.verification.domain.edits.shared_state import may_share


def shares(*lines: str, path: str = "tests/test_it.py") -> bool:
    added = "".join(f"+{line}\n" for line in lines)
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    return may_share(parse_patch(f"{head}@@ -0,0 +1,{len(lines)} @@\n{added}"))


@pytest.mark.parametrize(
    "line",
    [
        "durations.human = mended",
        "    durations.Clock.name = 'x'",
        "setattr(durations, name, mended)",
        "vars(durations).update(human=mended)",
        "durations.__dict__['human'] = mended",
        "sys.modules['durations'] = Fake()",
        "importlib.reload(durations)",
        "mock.patch('durations.human', mended).start()",
        "durations.UNITS.append('h')",
        "os.environ['HOURS'] = '1'",
        "@pytest.fixture(autouse=True)",
    ],
)
def test_what_other_tests_would_see(line: str):
    assert not shares("import durations", line)


@pytest.mark.parametrize(
    "line",
    [
        "from durations import human",
        "    assert human(3600) == '1h'",
        "    assert clock.name == 'x'",
        "    monkeypatch.setattr(durations, 'human', mended)",
        "    self.clock = durations.Clock()",
        "    found = []",
        "    found.append(1)",
        "    with mock.patch('durations.human', mended):",
    ],
)
def test_what_stays_in_a_test(line: str):
    assert shares("import durations", line)


def test_files_that_all_tests_load():
    assert not shares("import pytest", path="tests/conftest.py")
    assert not shares("import durations", path="tests/__init__.py")
    assert shares("", path="tests/__init__.py")
    assert shares("durations.human = mended;", path="test/it.test.js")

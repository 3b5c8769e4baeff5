"""Programs that we start have none of our descriptors."""

import os
from collections.abc import Callable

import pytest

from tests.support.open_descriptors import inherited_pipe
from yudai.sandboxes.backends.bubblewrap import runner


def seen_by_a_program() -> set[int]:
    read, write = os.pipe()
    child = os.posix_spawn(
        "/bin/ls",
        ["ls", "/proc/self/fd"],
        {},
        file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)],
    )
    os.close(write)
    with os.fdopen(read) as output:
        said = output.read()
    assert os.waitpid(child, 0)[1] == 0
    return set(map(int, said.split()))


@pytest.mark.parametrize("keep", [runner.keep, runner._keep_each])
def test_a_program_has_the_standard_ones_alone(keep: Callable[[], None]):
    with inherited_pipe() as ends:
        assert {*ends} < seen_by_a_program()

        keep()

        # The last one is the listing's own.
        assert seen_by_a_program() == {0, 1, 2, 3}


def test_kernels_that_do_not_know_the_call_are_served_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runner, "_CLOSE_RANGE", 9999)
    with inherited_pipe() as (end, _):
        runner.keep()

        assert not os.get_inheritable(end)

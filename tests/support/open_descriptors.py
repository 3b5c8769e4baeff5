"""Descriptors that a program inherits, as a careless parent leaves them to us."""

import os
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def inherited_pipe() -> Generator[tuple[int, int]]:
    ends = os.pipe()
    for end in ends:
        os.set_inheritable(end, True)  # noqa: FBT003 - its only way
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)

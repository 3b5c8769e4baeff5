"""Commands set up logging for a whole process: undo that after each test."""

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def restored_logging() -> Iterator[None]:
    yield
    structlog.reset_defaults()

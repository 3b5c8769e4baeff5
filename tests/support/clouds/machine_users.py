"""Whether a fake machine has users: an ordinary user can make one only with a single user."""

import os

import pytest

IS_ROOT = os.getuid() == 0
needs_users = pytest.mark.skipif(
    not IS_ROOT, reason="an ordinary user's fake machines have no second user"
)

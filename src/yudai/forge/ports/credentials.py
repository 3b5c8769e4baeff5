"""In whose name a forge is asked."""

from typing import Protocol

from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.remote import Credential


class Credentials(Protocol):
    async def reading(self, repo: RepoRef, *, user_id: str) -> Credential:
        """The user's own, else the App's, else the server's, else nobody's."""
        ...

    async def writing(self, repo: RepoRef, *, user_id: str) -> Credential:
        """The App's where it is installed, else the user's own, else the server's.

        `user_id` is who acts, "" where nobody does. ForbiddenError when that person may not push
        there now: somebody else's right is never used for them.
        """
        ...

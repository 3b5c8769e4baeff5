"""Applies a patch to a tree in our own repository, without a work tree."""

from typing import NamedTuple

from yudai.forge.adapters.git.command import Git, Limits
from yudai.forge.adapters.git.objects import Difference, compare
from yudai.forge.adapters.git.scratch_repository import ScratchRepository
from yudai.kit.errors import RefusedError
from yudai.patches.patch import Patch, forbidden, parse_patch, readable

MAX_PATCH = 32 << 20

# A few hundred bytes can describe a file of any size: only the process that unpacks it knows.
APPLYING = Limits(timeout_s=120.0, memory=1 << 30)


class Patched(NamedTuple):
    tree: str
    differences: list[Difference]


async def patch_tree(scratch: ScratchRepository, tree: str, patch: bytes) -> Patched:
    """The patched tree; RefusedError if the patch does not apply or has invalid paths."""
    return await put_on_tree(scratch.writing, tree, patch, parsed=_parse(patch))


async def put_on_tree(
    git: Git, tree: str, patch: bytes, *, parsed: Patch, limits: Limits = APPLYING
) -> Patched:
    """Apply it with a temporary index, then compare git's changes with our reading."""
    await git.ask("read-tree", tree)
    ran = await git.run(
        *("apply", "--cached", "--binary", "--whitespace=nowarn", "-"), stdin=patch, limits=limits
    )
    if ran.exit_code != 0:
        raise RefusedError(f"the patch does not apply: {ran.error}")
    patched = (await git.ask("write-tree")).decode().strip()
    differences = await compare(git, tree, patched)
    _check(differences, parsed)
    return Patched(patched, differences)


def _parse(patch: bytes) -> Patch:
    if len(patch) > MAX_PATCH:
        raise RefusedError(f"the patch is larger than {MAX_PATCH >> 20} MB")
    parsed = parse_patch(patch.decode("utf-8", "surrogateescape"))
    if not parsed.files:
        raise RefusedError("the patch is empty: there is nothing to apply")
    if reasons := forbidden(parsed):
        raise RefusedError("; ".join(reasons))
    return parsed


def _check(differences: list[Difference], parsed: Patch) -> None:
    """Check that git found the same files in it as we did."""
    if not differences:
        raise RefusedError("the patch changes nothing")
    found = {difference.path.decode("utf-8", "surrogateescape") for difference in differences}
    if stray := found - parsed.paths:
        raise RefusedError(f"the patch changes {readable(min(stray))} without saying so")

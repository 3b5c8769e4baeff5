"""Routes for choosing a repository and an issue at the forge."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from yudai.api.dependencies import ServiceDep
from yudai.api.security.rights import MayRead
from yudai.views.repositories import ForgeRepoList, IssueList, IssuePreview, Wanted

router = APIRouter(prefix="/forge/repos", tags=["forge"])

MAX_NUMBER = 1 << 53
Part = Annotated[str, Path(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_.-]+$")]


@router.get("", operation_id="listForgeRepos")
async def repos(service: ServiceDep, user: MayRead) -> ForgeRepoList:
    """List your repositories at the forge, last pushed first."""
    return await service.browser.repos(user_id=user.id)


@router.get("/{owner}/{name}/issues", operation_id="listForgeIssues")
async def issues(  # noqa: PLR0913 - one for each of the query's
    owner: Part,
    name: Part,
    service: ServiceDep,
    user: MayRead,
    q: Annotated[str, Query(max_length=200, description="Words of the issue.")] = "",
    label: Annotated[str, Query(max_length=50, description="Only with this label.")] = "",
    page: Annotated[int, Query(ge=1, le=1000)] = 1,
) -> IssueList:
    """List open issues, without pull requests."""
    wanted = Wanted(owner=owner, name=name, words=q, label=label, page=page)
    return await service.browser.issues(wanted, user_id=user.id)


@router.get("/{owner}/{name}/issues/{number}", operation_id="previewForgeIssue")
async def preview(
    owner: Part,
    name: Part,
    number: Annotated[int, Path(ge=1, le=MAX_NUMBER)],
    service: ServiceDep,
    user: MayRead,
) -> IssuePreview:
    """Preview the text that contestants would read, and what would be left out."""
    return await service.browser.preview(owner, name, number, user_id=user.id)

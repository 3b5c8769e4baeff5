"""HTML pages with buttons. The page has a choice of the user who presses them."""

from collections.abc import Awaitable, Callable
from html import escape

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from yudai.dev.fake_github import html, issues, json_pull_views
from yudai.dev.fake_github.authenticate import fields_of, refuse_other_sites
from yudai.dev.fake_github.errors import Refusal, not_found
from yudai.dev.fake_github.pages.buttons import Place, act
from yudai.dev.fake_github.pages.consent import people
from yudai.dev.fake_github.records import Item, Repo
from yudai.dev.fake_github.state import State, iso

Show = Callable[[State, Request], Response]

_COMMITS = 30
_MAX_DIFF = 300_000
_MERGES = {"merge": "Merge", "squash": "Squash and merge", "rebase": "Rebase and merge"}


def routes(state: State) -> list[Route]:
    item = "/{owner}/{repo}/{kind}/{number:int}"
    return [
        Route("/", _page(state, _home)),
        Route("/{owner}/{repo}", _page(state, _repo)),
        Route("/{owner}/{repo}/issues", _page(state, _list)),
        Route("/{owner}/{repo}/pulls", _page(state, _list)),
        Route("/{owner}/{repo}/commit/{sha}", _page(state, _commit)),
        Route("/{owner}/{repo}/pull/{number:int}.diff", _page(state, _diff)),
        Route(item, _page(state, _item)),
        Route(item, _acting(state), methods=["POST"]),
    ]


def _page(state: State, show: Show) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        try:
            with state.lock:
                return show(state, request)
        except Refusal as refusal:
            return html.refused(refusal)

    return respond


def _acting(state: State) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        try:
            refuse_other_sites(request)
            fields = await fields_of(request)
            repo = _found(state, request).full
            place = Place(state, repo, request.path_params["number"], fields.get("as", ""))
            act(place, fields)
        except Refusal as refusal:
            return html.refused(refusal)
        return RedirectResponse(request.url.path, 303)

    return respond


def _found(state: State, request: Request) -> Repo:
    return state.repo(f"{request.path_params['owner']}/{request.path_params['repo']}")


def _home(state: State, _: Request) -> Response:
    rows = [
        f"<p>{html.link(f'/{repo.full}/issues', repo.full)}"
        f' <span class="tag">{"private" if repo.private else "public"}</span>'
        f' <span class="dim">{escape(repo.description)}</span></p>'
        for repo in state.world.repos.values()
    ]
    return html.page("Repositories", "<h1>Repositories</h1>", *rows)


def _repo(state: State, request: Request) -> Response:
    repo = _found(state, request)
    clone = state.clone(repo.full)
    tip = clone.branch(repo.default_branch)
    made = clone.commits(tip, limit=_COMMITS) if tip else []
    rows = [
        f"<p>{html.link(f'/{repo.full}/commit/{one.sha}', one.sha[:8])}"
        f" {escape(one.message.partition(chr(10))[0])}"
        f' <span class="dim">{escape(one.author.name)}, {iso(one.committer.at)}</span></p>'
        for one in made
    ]
    branches = ", ".join(sorted(clone.branches())) or "none"
    return html.page(
        repo.full,
        *_head(state, repo),
        f"<p>Branches: {escape(branches)}</p>",
        html.box(f"Commits on {escape(repo.default_branch)}", f"<div>{''.join(rows)}</div>"),
    )


def _head(state: State, repo: Repo) -> tuple[str, str]:
    places = (("issues", "Issues"), ("pulls", "Pull requests"))
    links = " · ".join(html.link(f"/{repo.full}/{path}", name) for path, name in places)
    return (
        f"<h1>{html.link(f'/{repo.full}', repo.full)}</h1>",
        f'<p>{links} <span class="dim">git clone {state.url}/{escape(repo.full)}.git</span></p>',
    )


def _list(state: State, request: Request) -> Response:
    repo = _found(state, request)
    wants_pulls = request.url.path.endswith("/pulls")
    found = [item for item in repo.items.values() if bool(item.pull) == wants_pulls]
    rows = [_row(repo, item) for item in reversed(found)] or ["<p>There are none.</p>"]
    title = "Pull requests" if wants_pulls else "Issues"
    return html.page(f"{title} of {repo.full}", *_head(state, repo), f"<h2>{title}</h2>", *rows)


def _row(repo: Repo, item: Item) -> str:
    place = f"/{repo.full}/{'pull' if item.pull else 'issues'}/{item.number}"
    labels = "".join(f' <span class="tag">{escape(name)}</span>' for name in item.labels)
    return (
        f"<p>{_status(item)} {html.link(place, item.title)}{labels}"
        f' <span class="dim">#{item.number} by {escape(item.author)},'
        f" {len(item.comments)} comments</span></p>"
    )


def _item(state: State, request: Request) -> Response:
    repo = _found(state, request)
    item = issues.find(repo, request.path_params["number"])
    kind = "pull" if item.pull else "issues"
    if request.path_params["kind"] != kind:
        return RedirectResponse(f"/{repo.full}/{kind}/{item.number}", 302)
    place = f"/{repo.full}/{kind}/{item.number}"
    who = html.select("as", people(state), label="as")
    listed = "pulls" if item.pull else "issues"
    more = _pull_parts(state, repo, item, place, who) if item.pull else ()
    said = [_said(one.author, one.created_at, one.body) for one in item.comments]
    return html.page(
        f"{item.title} #{item.number}",
        f"<p>{html.link(f'/{repo.full}/{listed}', repo.full)}</p>",
        f"<h1>{escape(item.title)} <small>#{item.number}</small></h1>",
        f"<p>{_status(item)} {_labels(item)}</p>",
        _said(item.author, item.created_at, item.body or ""),
        *said,
        *more,
        *_buttons(item, place, who),
    )


def _said(author: str, at: float, body: str) -> str:
    head = f'<b>{escape(author)}</b> <span class="dim">{iso(at)}</span>'
    return html.box(head, html.text_block(body) if body else "<div>Nothing was written.</div>")


def _labels(item: Item) -> str:
    return " ".join(f'<span class="tag">{escape(name)}</span>' for name in item.labels)


def _buttons(item: Item, place: str, who: str) -> list[str]:
    act_field = '<input name="label" value="yudai" size="12" aria-label="label">'
    adding = html.act(place, who, {"label": "Add label"}, act_field)
    removing = [
        html.act(place, who, {"unlabel": f"Remove {name}"}, html.hidden({"label": name}))
        for name in item.labels
    ]
    typed = '<textarea name="body" aria-label="comment"></textarea>'
    writing = html.act(place, who, {"comment": "Comment"}, typed, kind="wide")
    turn = {"close": "Close"} if item.state == "open" else {"reopen": "Reopen"}
    turning = html.act(place, who, turn)
    is_over = item.pull is not None and item.pull.merge_sha
    return [adding, *removing, *([] if is_over else [turning]), writing]


def _commit(state: State, request: Request) -> Response:
    repo, sha = _found(state, request), request.path_params["sha"]
    clone = state.clone(repo.full)
    found = clone.resolve(sha) if sha.isalnum() else None
    if found is None:
        raise not_found()
    one = clone.commits(found)[0]
    diff = clone.git("show", "--format=", "--first-parent", found)
    return html.page(
        one.message.partition("\n")[0],
        *_head(state, repo),
        html.box(f"<b>{escape(one.author.name)}</b> {one.sha}", html.text_block(one.message)),
        html.box("Changes", html.diff_block(diff[:_MAX_DIFF])),
    )


def _diff(state: State, request: Request) -> Response:
    repo = _found(state, request)
    item = issues.find(repo, request.path_params["number"])
    return PlainTextResponse(_pull_diff(state, repo, item))


def _status(item: Item) -> str:
    name: str = item.state
    if item.pull is not None and item.pull.merge_sha:
        name = "merged"
    elif item.pull is not None and item.pull.draft and name == "open":
        return '<span class="dim">draft</span>'
    return f'<span class="{name}">{name}</span>'


def _pull_diff(state: State, repo: Repo, item: Item) -> str:
    pull = json_pull_views.current(state, repo, item)
    start = pull.merged_over or pull.base_sha
    return state.clone(repo.full).git("diff", "--no-ext-diff", f"{start}...{pull.head_sha}", "--")


def _pull_parts(state: State, repo: Repo, item: Item, place: str, who: str) -> list[str]:
    pull = json_pull_views.current(state, repo, item)
    owner = pull.head_repo.partition("/")[0]
    facts = (
        f"<p>From <code>{escape(owner)}:{escape(pull.head)}</code> ({pull.head_sha[:8]})"
        f" into <code>{escape(pull.base)}</code>.</p>"
    )
    if pull.merge_sha:
        commit = html.link(f"/{repo.full}/commit/{pull.merge_sha}", pull.merge_sha[:8])
        facts += f"<p>Merged by {escape(pull.merged_by)} as {commit}.</p>"
    changes = html.box("Changes", html.diff_block(_pull_diff(state, repo, item)[:_MAX_DIFF]))
    return [facts, changes, *_pull_buttons(item, place, who)]


def _pull_buttons(item: Item, place: str, who: str) -> list[str]:
    pull = item.pull
    if pull is None:
        return []
    if pull.merge_sha:
        text = "Re-apply" if item.title.startswith('Revert "') else "Revert"
        return [html.act(place, who, {"revert": text})]
    if item.state != "open":
        return []
    if pull.draft:
        return [html.act(place, who, {"ready": "Ready for review"})]
    return [html.act(place, who, _MERGES)]

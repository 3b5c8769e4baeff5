"""What a pull request's page has besides an issue's."""

from html import escape

from yudai.dev.fake_github import html, json_pull_views
from yudai.dev.fake_github.records import Item, Repo
from yudai.dev.fake_github.state import State

MAX_DIFF = 300_000
_MERGES = {"merge": "Merge", "squash": "Squash and merge", "rebase": "Rebase and merge"}


def status(item: Item) -> str:
    name: str = item.state
    if item.pull is not None and item.pull.merge_sha:
        name = "merged"
    elif item.pull is not None and item.pull.draft and name == "open":
        return '<span class="dim">draft</span>'
    return f'<span class="{name}">{name}</span>'


def diff(state: State, repo: Repo, item: Item) -> str:
    pull = json_pull_views.current(state, repo, item)
    start = pull.merged_over or pull.base_sha
    return state.clone(repo.full).git("diff", "--no-ext-diff", f"{start}...{pull.head_sha}", "--")


def parts(state: State, repo: Repo, item: Item, place: str, who: str) -> list[str]:
    pull = json_pull_views.current(state, repo, item)
    owner = pull.head_repo.partition("/")[0]
    told = (
        f"<p>From <code>{escape(owner)}:{escape(pull.head)}</code> ({pull.head_sha[:8]})"
        f" into <code>{escape(pull.base)}</code>.</p>"
    )
    if pull.merge_sha:
        commit = html.link(f"/{repo.full}/commit/{pull.merge_sha}", pull.merge_sha[:8])
        told += f"<p>Merged by {escape(pull.merged_by)} as {commit}.</p>"
    changes = html.box("Changes", html.diff_block(diff(state, repo, item)[:MAX_DIFF]))
    return [told, changes, *_buttons(item, place, who)]


def _buttons(item: Item, place: str, who: str) -> list[str]:
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

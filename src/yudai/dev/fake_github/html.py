"""Plain pages: no scripts, everything escaped."""

from collections.abc import Iterable, Mapping
from html import escape

from starlette.responses import HTMLResponse

from yudai.dev.fake_github.errors import Refusal

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #0969da }
@media (prefers-color-scheme: dark) { :root { --link: #6cb6ff } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
a { color: var(--link); text-decoration: none } a:hover { text-decoration: underline }
h1 { font-size: 1.5rem } h1 small, .dim { color: #888; font-weight: normal }
.box { border: 1px solid var(--line); border-radius: 8px; margin: 1rem 0; overflow: hidden }
.box > header { background: var(--soft); padding: .5rem .8rem;
  border-bottom: 1px solid var(--line) }
.box > div, .box > pre { padding: .8rem; margin: 0 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace }
.tag { border: 1px solid var(--line); border-radius: 1em; padding: .1em .6em; font-size: .85em }
.open { color: #1a7f37 } .closed { color: #cf222e } .merged { color: #8250df }
.add { background: #2da44e22 } .gone { background: #cf222e22 } .at { color: #888 }
form { display: inline-flex; gap: .4rem; margin: .3rem .6rem .3rem 0; flex-wrap: wrap }
form.wide { display: flex; flex-direction: column; align-items: flex-start }
textarea { width: 100%; min-height: 5rem; font: inherit }
button, select, input { font: inherit; padding: .25rem .7rem; border-radius: 6px;
  border: 1px solid var(--line); background: var(--soft); color: inherit; cursor: pointer }
"""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action *;"
    " frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def page(title: str, *parts: str, status: int = 200) -> HTMLResponse:
    """`parts` are HTML already; the title is not."""
    text = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)} · fake GitHub</title><style>{_STYLE}</style></head><body>"
        f'<p class="dim"><a href="/">fake GitHub</a></p>{"".join(parts)}</body></html>'
    )
    return HTMLResponse(text, status, _HEADERS)


def refused(refusal: Refusal) -> HTMLResponse:
    errors = "\n".join(str(error.get("message", error)) for error in refusal.errors or ())
    rendered = text_block(f"{refusal.message}\n{errors}".strip())
    return page("Not possible", "<h1>Not possible</h1>", rendered, status=refusal.status)


def link(place: str, text: str) -> str:
    return f'<a href="{escape(place)}">{escape(text)}</a>'


def hidden(fields: Mapping[str, str]) -> str:
    return "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in fields.items()
    )


def form(action: str, *inner: str, kind: str = "") -> str:
    return f'<form method="post" action="{escape(action)}" class="{kind}">{"".join(inner)}</form>'


def button(text: str, *, name: str = "", value: str = "") -> str:
    named = f' name="{escape(name)}" value="{escape(value)}"' if name else ""
    return f"<button{named}>{escape(text)}</button>"


def act(place: str, who: str, acts: Mapping[str, str], *inner: str, kind: str = "") -> str:
    """A form with a choice of user and a button for each action."""
    buttons = (button(text, name="act", value=value) for value, text in acts.items())
    return form(place, *inner, who, *buttons, kind=kind)


def select(name: str, options: Iterable[str], *, label: str) -> str:
    rendered = "".join(f"<option>{escape(option)}</option>" for option in options)
    return f'<label>{escape(label)} <select name="{escape(name)}">{rendered}</select></label>'


def box(head: str, body: str) -> str:
    return f'<section class="box"><header>{head}</header>{body}</section>'


def text_block(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def diff_block(diff: str) -> str:
    kinds = {"+": "add", "-": "gone", "@": "at"}
    lines = "\n".join(
        f'<span class="{kinds.get(line[:1], "")}">{escape(line)}</span>'
        for line in diff.splitlines()
    )
    return f"<pre>{lines}</pre>" if diff else "<div>Nothing is changed.</div>"

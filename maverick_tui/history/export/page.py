"""A run as one page of HTML that needs nothing else: no script, style, font or picture from anywhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from pathlib import Path

from maverick_tui.events.background import BY_ITSELF
from maverick_tui.history.export.calls import GLYPHS, WORDS, Part, about, input_parts, outcome, output_part
from maverick_tui.history.export.heading import kept_facts, moment, title
from maverick_tui.history.export.kept import KeptRun
from maverick_tui.history.export.prose import code, plain, prose
from maverick_tui.inert import inert, one_line
from maverick_tui.runs.entries import EndEntry, Entry, FailureEntry, NoticeEntry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.failure_words import title as failure_title
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock
from maverick_tui.runs.tool_text import describe

_BAR = """<nav hidden aria-label="This page">
<input type="search" placeholder="Search" aria-label="Search in this run" autocomplete="off" spellcheck="false">
<output aria-live="polite"></output>
<button type="button" data-do="previous" title="Previous match (Shift+Enter)" aria-label="Previous match">↑</button>
<button type="button" data-do="next" title="Next match (Enter)" aria-label="Next match">↓</button>
<button type="button" data-do="fold" aria-pressed="false">Unfold all</button>
<button type="button" data-do="theme" title="Dark, light, or as your system is">Theme: auto</button>
</nav>
"""
_DEEPEST = 20
"""Subagents of subagents that stand inside of one another."""


def as_page(run: KeptRun) -> Iterator[str]:
    """The page, in pieces. All that is not ours is escaped, and the page may load and run nothing but its own."""
    style, script = _own("page.css"), _own("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    heading = escape(title(run.store))
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">\n'
        f'<meta name="generator" content="Maverick">\n<title>{heading}</title>\n'
        f"<style>{style}</style>\n</head>\n<body>\n{_BAR}<header>\n<h1>{heading}</h1>\n"
    )
    rows = "".join(f"<div><dt>{label}</dt><dd>{escape(value)}</dd></div>\n" for label, value in kept_facts(run))
    yield f"<dl>\n{rows}</dl>\n"
    if run.note:
        yield f'<p class="note" role="note">{escape(run.note)}</p>\n'
    yield "</header>\n<main>\n"
    yield from _entries(run)
    yield f"</main>\n<script>{script}</script>\n</body>\n</html>\n"


def _entries(run: KeptRun) -> Iterator[str]:
    """All entries; what a subagent did stands inside of the call that started it."""
    folder = run.store.loaded.cwd if run.store.loaded else ""
    inside: dict[str, list[Entry]] = {}
    calls: set[str] = set()
    top: list[Entry] = []
    for entry in run.store.entries:
        is_inside = entry.parent in calls and entry.depth <= _DEEPEST
        (inside.setdefault(entry.parent, []) if is_inside else top).append(entry)
        if isinstance(entry, ToolEntry) and entry.call:
            calls.add(entry.call)
    for entry in top:
        yield _entry(entry, folder, inside)


def _entry(entry: Entry, folder: str, inside: dict[str, list[Entry]]) -> str:
    if isinstance(entry, PromptEntry):
        return _prompt(entry)
    if isinstance(entry, TextEntry):
        return _text(entry)
    if isinstance(entry, ToolEntry):
        return _call(entry, folder, inside)
    if isinstance(entry, NoticeEntry):
        return f'<p class="notice">{escape(one_line(entry.text))}</p>\n'
    if isinstance(entry, FailureEntry):
        return _failure(entry)
    return _end(entry) if isinstance(entry, EndEntry) else ""


def _prompt(entry: PromptEntry) -> str:
    mark = f'<span class="mark">{BY_ITSELF}</span> ' if entry.origin == "background" else ""
    link = f'<a class="when" href="#turn-{entry.turn}">{moment(entry.at)}</a>'
    sent = _folded("sent", "What the model was asked", plain(entry.sent)) if entry.sent else ""
    return f'<h2 class="prompt" id="turn-{entry.turn}">{link}{mark}{escape(entry.text)}</h2>\n{sent}'


def _text(entry: TextEntry) -> str:
    if not entry.text.strip():
        return ""
    state = {"partial": '<p class="notice">It broke off here.</p>\n', "open": '<p class="notice">…</p>\n'}
    text = prose(entry.text) + state.get(entry.state, "")
    if entry.kind == "thinking":
        took = f" for {clock(entry.seconds)}" if entry.seconds is not None else ""
        return _folded("thinking", f"Thought{took}", text)
    return f'<article class="text">{text}</article>\n'


def _call(entry: ToolEntry, folder: str, inside: dict[str, list[Entry]]) -> str:
    parts = input_parts(entry, entry.arguments)
    within = "".join(_entry(one, folder, inside) for one in inside.pop(entry.call, ()))
    body = "".join(map(_part, parts)) + (f'<div class="within">{within}</div>\n' if within else "")
    if (result := output_part(entry)) is not None:
        body += f'<div class="result">{_part(result)}</div>\n'
    took = clock(entry.seconds) if entry.has_run and entry.seconds is not None else ""
    head = (
        f'<span class="glyph">{GLYPHS.get(entry.state, "○")}</span> <b>{escape(describe(entry.name))}</b> '
        f'<code class="about">{escape(about(entry, folder))}</code> '
        f'<span class="outcome">{escape(outcome(entry))}</span> <span class="took">{took}</span>'
    )
    return _folded(f"call {entry.state}", head, body, is_html=True)


def _part(part: Part) -> str:
    if part.language == WORDS:
        return f'<p class="notice">{escape(part.text)}</p>\n'
    return f"<article>{prose(part.text)}</article>\n" if part.language == "markdown" else code(part.text, part.language)


def _folded(kind: str, summary: str, body: str, *, is_html: bool = False) -> str:
    head = summary if is_html else escape(summary)
    return f'<details class="{kind}"><summary>{head}</summary>\n<div class="body">{body}</div></details>\n'


def _failure(entry: FailureEntry) -> str:
    failure = entry.failure
    rows = [("what", failure.message), *(("why", cause) for cause in failure.causes), ("next", failure.hint)]
    told = _rows((label, inert(text)) for label, text in rows if text)
    more = [("Raw response", failure.raw_response), ("Standard error", failure.stderr)]
    raw = "".join(_folded("sent", label, plain(inert(text))) for label, text in more if text)
    return f'<section class="failure"><h3>✘ {escape(failure_title(failure))}</h3>\n{told}{raw}</section>\n'


def _rows(rows: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<div><dt>{label}</dt><dd>{escape(text)}</dd></div>' for label, text in rows)}</dl>\n"


def _end(entry: EndEntry) -> str:
    used = entry.result.usage
    parts: list[str] = [entry.result.outcome]
    if not entry.is_inherited:
        parts += [f"{used.all_input:,} tokens in", f"{used.output_tokens:,} out"]
    parts += [] if used.cost_usd is None else [f"{'~' if entry.result.is_estimate else ''}{dollars(used.cost_usd)}"]
    parts.append(clock(used.duration_ms / 1000))
    return f'<p class="end {entry.result.outcome}">{escape(" · ".join(parts))}</p>\n'


@cache
def _own(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

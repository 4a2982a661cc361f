"""What is told of the highlighted run beside the list: what it was, what was asked first and said last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from maverick_tui.history.days import time_text
from maverick_tui.history.index import RunIndex
from maverick_tui.history.listed import NOT_READ, ListedRun
from maverick_tui.history.money import cost_of
from maverick_tui.inert import inert, one_line
from maverick_tui.runs.status import StatusText, clock
from maverick_tui.ui.history.rows import GLYPHS, UNKNOWN, counted
from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.wrap import cut, pad, wrap_words
from maverick_tui.ui.short_names import short_model, short_path

_LABEL = 9
_MOST_TITLE, _MOST_PROMPT, _MOST_ANSWER = 3, 8, 20
"""Lines of each text: it is a preview."""
_FEW = 3
"""Lines of the last words where there is room for no more."""
_MOST_FILES = 6
_BROAD = 60
"""Columns from which facts stand beside each other: there the preview has few lines."""


class Preview(NamedTuple):
    """A run, and the end of what it said."""

    run: ListedRun
    last_words: str


def ask_preview(index: RunIndex, run: ListedRun) -> Iterator[Preview]:
    """What the index has to say of it."""
    yield Preview(run, index.last_words(run.run_id))


def preview_lines(preview: Preview, status: StatusText | None, width: int) -> list[Line]:
    """The preview for a width; `status` is what a run of this application does."""
    run, about = preview.run, preview.run.about
    is_broad = width >= _BROAD
    most = _FEW if is_broad else _MOST_ANSWER
    lines: list[Line] = [((part, "strong"),) for part in _first(run.heading, width, 1 if is_broad else _MOST_TITLE)]
    lines += _facts_in_lines(run, status, width) if is_broad else _facts_in_rows(run, status, width)
    if about.problem:
        lines += [(), *_text(wrap_words(one_line(about.problem), width), "error")]
    if run.name and about.first_prompt:
        lines += [(), (("ASKED FIRST", "caption"),), *_text(_first(inert(about.first_prompt), width, _MOST_PROMPT))]
    if preview.last_words.strip():
        lines += [(), (("SAID LAST", "caption"),), *_text(_last(inert(preview.last_words), width, most))]
    for prompt in run.waiting:
        caption = "QUEUED" if run.is_live else "NEVER SENT"
        lines += [(), ((caption, "caption"),), *_text(_first(inert(prompt), width, _FEW))]
    lines += [(), (("EXPORT", "caption"),)]
    lines += _text(wrap_words(f"maverick runs export {run.run_id} --format html", width), "muted")
    return lines


def _state(run: ListedRun, status: StatusText | None) -> Line:
    glyph, role = GLYPHS.get(run.phase, UNKNOWN)
    if run.is_unread:
        return ((f"{glyph} {NOT_READ}", role),)
    state = f"{glyph} {run.phase}" if status is None else f"{status.glyph} {status.word}"
    took = [] if run.is_live else [clock(run.duration())]
    return (state, role), (f"  {' · '.join([*took, counted(run.about.turns, 'turn')])}", "muted")


def _facts(run: ListedRun) -> dict[str, str]:
    """What there is to know of a run, by what it is called."""
    about = run.about
    tokens = about.input_tokens + about.output_tokens + about.cache_read_tokens + about.cache_write_tokens
    read = tokens - about.output_tokens
    cached = f" ({about.cache_read_tokens / read:.0%} from the cache)" if about.cache_read_tokens and read else ""
    files = [one_line(path) for path in run.files[:_MOST_FILES]]
    more = [f"and {len(run.files) - _MOST_FILES:,} more"] if len(run.files) > _MOST_FILES else []
    facts = {
        "began": time_text(about.started_at, "%a %d %b %Y %H:%M"),
        "cost": cost_of(run),
        "tokens": f"{tokens:,}{cached}" if tokens else "",
        "agent": one_line(about.agent),
        "model": " on ".join(filter(None, (short_model(about.model), one_line(about.engine)))) if about.model else "",
        "folder": short_path(about.folder) if about.folder else "",
        "branch": one_line(about.branch),
        "tags": " ".join(f"#{one_line(tag)}" for tag in run.tags),
        "files": ", ".join([*files, *more]),
        "run": run.run_id,
    }
    return {label: value for label, value in facts.items() if value}


def _facts_in_rows(run: ListedRun, status: StatusText | None, width: int) -> Iterator[Line]:
    yield _state(run, status)
    yield ()
    for label, value in _facts(run).items():
        for at, part in enumerate(wrap_words(value, width - _LABEL)):
            yield (pad("" if at else label, _LABEL), "muted"), (part, "text")


def _facts_in_lines(run: ListedRun, status: StatusText | None, width: int) -> Iterator[Line]:
    facts = _facts(run)
    facts["tokens"] = f"{facts['tokens'].partition(' ')[0]} tokens" if "tokens" in facts else ""
    facts["files"] = counted(len(run.files), "file") if run.files else ""
    figures = (facts.get(label, "") for label in ("began", "cost", "tokens", "files"))
    yield (*_state(run, status), ("".join(f" · {figure}" for figure in figures if figure), "muted"))
    others = (facts.get(label, "") for label in ("agent", "model", "folder", "branch", "tags"))
    yield from _text(wrap_words(" · ".join(filter(None, others)), width), "muted")


def _first(text: str, width: int, most: int) -> list[str]:
    lines = wrap_words(text.strip(), width)
    return [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), width)] if len(lines) > most else lines


def _last(text: str, width: int, most: int) -> list[str]:
    lines = wrap_words(text.strip(), width)
    if len(lines) <= most:
        return lines
    return ["…", *wrap_words("\n".join(lines[1 - most :]).strip(), width)]


def _text(lines: list[str], role: str = "text") -> list[Line]:
    return [((line, role),) for line in lines]

"""A run as Markdown: what was asked, said and done, for an editor or a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from maverick_tui.events.background import BY_ITSELF
from maverick_tui.history.export.calls import WORDS, about, input_parts, outcome, output_part
from maverick_tui.history.export.harmless import acts, harmless, literal
from maverick_tui.history.export.heading import agent, facts, kept_facts, moment, title
from maverick_tui.history.export.kept import KeptRun
from maverick_tui.inert import inert, one_line
from maverick_tui.markup import grammar
from maverick_tui.masking.redact import redact, redact_data
from maverick_tui.runs.entries import EndEntry, Entry, FailureEntry, NoticeEntry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore

Mask = Callable[[Any], Any]
"""What is done to texts and data first, before anything is written out in another way."""
Words = Callable[[str], str]
"""How what was asked and said is written."""


def as_markdown(store: RunStore) -> str:
    """The whole run; everything in it is inert, and without secrets."""
    return redact(_document(agent(store), store, facts(store), mask=redact_data))


def kept_as_markdown(run: KeptRun) -> str:
    """A kept run; it is as masked as its events are."""
    return _document(title(run.store), run.store, kept_facts(run), run.note, mask=_unchanged)


def _document(heading: str, store: RunStore, known: Sequence[tuple[str, str]], note: str = "", *, mask: Mask) -> str:
    head = [f"# {literal(mask(heading))}\n"]
    if known:
        head.append("\n".join(f"- {label}: {literal(mask(value))}" for label, value in known) + "\n")
    if note:
        head.append(f"**{literal(note)}**\n")
    folder = store.loaded.cwd if store.loaded else ""
    return "\n".join([*head, *_parts(store.entries, folder, mask)])


def _parts(entries: Iterable[Entry], folder: str, mask: Mask) -> Iterator[str]:
    shown = ((entry, part) for entry in entries if (part := _entry(entry, folder, mask, harmless)))
    for flows, group in groupby(shown, lambda one: _flows(one[0])):
        some = list(group)
        parts = [part for _, part in some]
        # A text may go on with a list of the one before it, and then be no code any more.
        if flows and len(parts) > 1 and acts("\n".join(parts)):
            parts = [_entry(entry, folder, mask, literal) for entry, _ in some]
        yield from parts


def _flows(entry: Entry) -> bool:
    """Whether it is text that stands by itself."""
    return isinstance(entry, TextEntry) and entry.kind != "thinking" and not entry.parent


def _entry(entry: Entry, folder: str, mask: Mask, words: Words) -> str:
    if isinstance(entry, PromptEntry):
        mark = f"{BY_ITSELF}  " if entry.origin == "background" else ""
        return f"## {moment(entry.at)}\n\n{_quoted(words(mark + mask(entry.text)))}\n"
    if isinstance(entry, TextEntry):
        text = _closed(words(mask(entry.text.rstrip())))
        cut = {"partial": "\n\n*(partial: it broke off here)*", "open": "\n\n*(more is to come)*"}.get(entry.state, "")
        if not text:
            return ""
        if entry.kind == "thinking":
            text = f"*thinking*\n\n{text}"
        return f"{text if _flows(entry) else _quoted(text)}{cut}\n"
    if isinstance(entry, ToolEntry):
        return _call(entry, folder, mask)
    if isinstance(entry, FailureEntry):
        failure = entry.failure
        what, *more = (literal(mask(inert(line))) for line in (failure.message, *failure.causes, failure.hint) if line)
        return "\n\n".join([f"**{literal(inert(failure.error))}**: {what}", *more]) + "\n"
    if isinstance(entry, NoticeEntry):
        return f"*{literal(mask(one_line(entry.text)))}*\n"
    if isinstance(entry, EndEntry):
        usage = entry.result.usage
        cost = "" if usage.cost_usd is None else f", ${usage.cost_usd:.4f}"
        tokens = "" if entry.is_inherited else f"{usage.all_input:,} tokens in, {usage.output_tokens:,} out{cost}, "
        return f"*{entry.result.outcome}: {tokens}{usage.duration_ms / 1000:.1f} s*\n"
    return ""


def _call(entry: ToolEntry, folder: str, mask: Mask) -> str:
    parts = input_parts(entry, mask(entry.arguments))
    # Else what it was given says so by itself.
    what = f" {literal(mask(about(entry, folder)))}" if not parts or parts[0].language == "diff" else ""
    if (result := output_part(entry)) is not None:
        parts.append(result)
    state = entry.state if entry.state in ("done", "failed") else outcome(entry)
    head = f"**{literal(mask(one_line(entry.name)))}**{what.rstrip()} ({literal(mask(state))})\n"
    text = "\n".join([head, *(_part(part.language, mask(part.text)) for part in parts)])
    return _quoted(text) + "\n" if entry.parent else text


def _part(language: str, text: str) -> str:
    if language == WORDS:
        return f"*{literal(text)}*\n"
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}\n"


def _closed(text: str) -> str:
    """The text with an end for a block of code that has none: what follows is not part of it."""
    if "```" not in text and "~~~" not in text:
        return text
    last = grammar.blocks(f"{text}\n")[-1]
    begin, end = last.map or (0, 0)
    is_open = last.type == "fence" and last.level == 0 and end - begin < last.content.count("\n") + 2
    return f"{text}\n{last.markup}" if is_open else text


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _unchanged(value: Any) -> Any:
    return value

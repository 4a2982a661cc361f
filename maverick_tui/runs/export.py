"""A run as Markdown: what was asked, said and done, for an editor or a file."""

from __future__ import annotations

import json
import re
from datetime import datetime

from maverick_tui.agent.engine.outputs import result_text
from maverick_tui.events.background import BY_ITSELF
from maverick_tui.inert import inert
from maverick_tui.masking.redact import redact, redact_data
from maverick_tui.runs.entries import EndEntry, Entry, FailureEntry, NoticeEntry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def as_markdown(store: RunStore) -> str:
    """The whole run; everything in it is inert, and without secrets."""
    started = store.loaded
    head = f"# {inert(started.agent)}\n\n{inert(started.cwd)}  {inert(store.model)}\n" if started else "# Run\n"
    return redact("\n".join([head, *(part for entry in store.entries if (part := _entry(entry)))]))


def _entry(entry: Entry) -> str:
    if isinstance(entry, PromptEntry):
        at = datetime.fromtimestamp(entry.at).astimezone()
        mark = f"{BY_ITSELF}  " if entry.origin == "background" else ""
        return f"## {at:%Y-%m-%d %H:%M:%S}\n\n{_quoted(mark + entry.text)}\n"
    if isinstance(entry, TextEntry):
        text = _closed(entry.text.rstrip())
        cut = "\n\n*(partial: it broke off here)*" if entry.state == "partial" else ""
        if not text:
            return ""
        return f"{_quoted(text) if entry.kind == 'thinking' or entry.parent else text}{cut}\n"
    if isinstance(entry, ToolEntry):
        arguments = inert(json.dumps(redact_data(entry.arguments), ensure_ascii=False, indent=2, default=str))
        output = inert(result_text(entry.output))
        return f"**{inert(entry.name)}** ({entry.state})\n\n{_fenced(arguments)}\n{_fenced(output) if output else ''}"
    if isinstance(entry, FailureEntry):
        failure = entry.failure
        lines = [f"**{failure.error}**: {failure.message}", *failure.causes, failure.hint]
        return inert("\n\n".join(line for line in lines if line)) + "\n"
    if isinstance(entry, NoticeEntry):
        return f"*{entry.text}*\n"
    if isinstance(entry, EndEntry):
        usage = entry.result.usage
        cost = "" if usage.cost_usd is None else f", ${usage.cost_usd:.4f}"
        tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
        return f"*{entry.result.outcome}: {tokens}{cost}, {usage.duration_ms / 1000:.1f} s*\n"
    return ""


def _closed(text: str) -> str:
    """The text with an end for a block of code that has none: what follows is not part of it."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found is None:
            continue
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}\n"

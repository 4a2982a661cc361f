"""The X-ray of an agent as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from maverick_tui.agent.tools import SESSION_TOOLS
from maverick_tui.agent.xray import Resolved, XRay
from maverick_tui.agent.xray_words import (
    NO_TOOLS,
    ORIGINS,
    SOURCES,
    UNKNOWN,
    asking,
    declared,
    hooks,
    limit,
    plain,
    resolved,
    servers,
    unlisted,
)
from maverick_tui.cli.table import display_path, problem_lines
from maverick_tui.cli.width import wrap, wrap_document
from maverick_tui.inert import inert, one_line
from maverick_tui.shown import shown

_LABEL = 10


def xray_lines(view: XRay) -> Iterator[str]:
    """Everything about the agent, the prompt last."""
    listing = view.listing
    yield from wrap(one_line(listing.name))
    yield from wrap(one_line(listing.description) or "(no description)", "  ", "  ")
    yield ""
    yield from _field("form", f"{listing.form}, from {SOURCES[listing.source]}")
    yield from _field("file", display_path(str(listing.path)) if listing.path else one_line(listing.module))
    yield from _field("trust", _trust(view))
    if listing.beware:
        yield from _field("beware", listing.beware)
    if view.engine != "claude-code":
        yield from _field("engine", one_line(view.engine))
        for name, text in view.api_settings:
            yield from _field("", one_line(f"{name} {text}"))
    yield from _field("model", _with_origin(resolved(view.model), view.model))
    yield from _field("mode", _with_origin(resolved(view.permission_mode), view.permission_mode))
    yield from _field("may", _may(view))
    if view.may:
        yield from _field("", _alone(view.may))
    yield from _field("asks", _asks(view))
    limits = (_with_origin(limit(name, value), value) for name, value in view.limits.items())
    yield from _field("limits", ", ".join(limits))
    for spec in view.inputs:
        yield from _field("input", f"{spec.name}: {declared(spec)}")
    for name, server in servers(view):
        yield from _field("server", f"{name}: {server}")
    yield from (line for hook in hooks(view) for line in _field("hook", hook))
    for label, setting in (("effort", "effort"), ("skills", "skills"), ("start", "initial_prompt")):
        if value := view.settings.get(setting):
            yield from _field(label, plain(value))
    if view.unknown:
        yield from _field("unknown", f"{', '.join(view.unknown)} (only running the file would tell)")
    yield from _prompt(view)
    if view.problems:
        yield ""
        yield "! problems"
        yield from problem_lines(view.problems)


def _field(label: str, text: str | Iterable[str]) -> Iterator[str]:
    yield from wrap(text, f"{label:<{_LABEL}}", " " * _LABEL)


def _listed(entries: Iterable[str]) -> list[str]:
    """Entries with commas, each of which stays in one piece."""
    words = [f"{one_line(entry)}," for entry in entries]
    return [*words[:-1], words[-1].removesuffix(",")] if words else []


def _trust(view: XRay) -> str:
    if view.trust == "not trusted":
        return f"NOT TRUSTED: read the file, then run maverick agents trust {one_line(view.listing.name)}"
    return "not needed" if view.trust == "not needed" else "trusted, as long as the file does not change"


def _with_origin(text: str, setting: Resolved) -> str:
    """The text, and who says so unless the agent does; that there is no budget needs no source."""
    origin = "" if setting.value is None else ORIGINS[setting.origin]
    return f"{text} ({origin})" if origin else text


def _may(view: XRay) -> str | list[str]:
    if view.may is None:
        return unlisted(view)
    tools = _listed(view.may) or [NO_TOOLS]
    return tools if view.names_tools else ["all tools (the file names none):", *tools]


def _alone(tools: Iterable[str]) -> str:
    """What runs without a person; the CLI has no tools then that want an answer."""
    missing = [tool for tool in tools if tool in SESSION_TOOLS]
    but = f" but {', '.join(missing)}" if missing else ""
    return f"without a person: exactly these run{but}, nothing else"


def _asks(view: XRay) -> list[str]:
    """Each tool stays in one piece; groups end with a semicolon."""
    groups = [[*group.before.split(), *_listed(group.tools), *group.after.split()] for group in asking(view)]
    return [*(word for group in groups[:-1] for word in [*group[:-1], f"{group[-1]};"]), *groups[-1]]


def _prompt(view: XRay) -> Iterator[str]:
    yield ""
    yield "prompt"
    prompt = view.settings.get("system_prompt")
    if isinstance(prompt, str):
        yield from wrap_document(inert(prompt), "  ")
    else:
        missing = UNKNOWN if "system_prompt" in view.unknown else "none"
        yield from wrap(f"({missing})" if prompt is None else one_line(shown(prompt)), "  ", "  ")

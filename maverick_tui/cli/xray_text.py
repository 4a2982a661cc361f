"""The X-ray of an agent as text for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from maverick_tui.cli.table import display_path, problem_lines, terminal_width
from maverick_tui.cli.xray import Resolved, XRay
from maverick_tui.inert import inert, one_line

_LABEL = 10
_UNKNOWN = "unknown: only running the file would tell"
_UNITS = {"timeout": "s without a sign of life", "max_turns": "turns", "max_tokens": "tokens an answer"}


def xray_lines(view: XRay) -> Iterator[str]:
    """Everything about the agent, the prompt last."""
    listing = view.listing
    yield one_line(listing.name)
    yield from _wrap("  ", one_line(listing.description) or "(no description)")
    yield ""
    yield from _field("form", f"{listing.form}, from {_SOURCES[listing.source]}")
    yield from _field("file", display_path(str(listing.path)) if listing.path else one_line(listing.module))
    yield from _field("trust", _trust(view))
    yield from _field("model", _resolved(view.model))
    yield from _field("mode", _resolved(view.permission_mode))
    yield from _field("may", _may(view))
    yield from _field("asks", _asks(view))
    yield from _field("limits", ", ".join(_limit(name, value) for name, value in view.limits.items()))
    for name, server in view.servers.items():
        yield from _field("server", f"{one_line(name)}: {_server(server)}")
    yield from (line for hook in _hooks(view) for line in _field("hook", hook))
    for label, setting in (("effort", "effort"), ("skills", "skills"), ("start", "initial_prompt")):
        if value := view.settings.get(setting):
            yield from _field(label, one_line(value if isinstance(value, str) else ", ".join(map(str, _items(value)))))
    if view.unknown:
        yield from _field("unknown", f"{', '.join(view.unknown)} (only running the file would tell)")
    yield from _prompt(view)
    if view.problems:
        yield "\n! problems"
        yield from problem_lines(view.problems)


_SOURCES = {
    "project": "the project",
    "user": "the user's folder",
    "package": "an installed package",
    "shipped": "Maverick itself",
}


def _field(label: str, text: str) -> Iterator[str]:
    yield from _wrap(" " * _LABEL, text, first=f"{label:<{_LABEL}}")


def _wrap(indent: str, text: str, first: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        terminal_width(),
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _trust(view: XRay) -> str:
    if view.trust == "not trusted":
        return f"NOT TRUSTED: read the file, then run maverick agents trust {one_line(view.listing.name)}"
    return "not needed" if view.trust == "not needed" else "trusted, as long as the file does not change"


def _resolved(resolved: Resolved) -> str:
    if resolved.origin == "unknown":
        return _UNKNOWN
    value = one_line(str(resolved.value))
    return {"agent": value, "settings": f"{value} (your settings)"}.get(resolved.origin, f"{value} (default)")


def _limit(name: str, resolved: Resolved) -> str:
    if resolved.origin == "unknown":
        return f"{name} unknown"
    if resolved.value is None:
        return "no budget"
    number = f"{resolved.value:,g}" if isinstance(resolved.value, float) else f"{resolved.value:,}"
    text = f"{number} {_UNITS[name]}" if name in _UNITS else f"{number} US$"
    return (
        text if resolved.origin == "agent" else f"{text} ({'default' if resolved.origin == 'default' else 'settings'})"
    )


def _may(view: XRay) -> str:
    if view.may is None:
        return "unknown: the file has errors" if any(p.is_error for p in view.problems) else _UNKNOWN
    tools = one_line(", ".join(view.may)) or "nothing: no tools are named"
    return tools if view.names_tools else f"all tools (the file names none): {tools}"


def _asks(view: XRay) -> str:
    if view.asks is None:
        return "unknown"
    return one_line(", ".join(view.asks)) or "never"


def _server(server: Mapping[str, object]) -> str:
    arguments = server.get("args")
    command = [server.get("command"), *(arguments if isinstance(arguments, list) else ())]
    target = server.get("url") or " ".join(str(part) for part in command if part is not None)
    return one_line(f"{server.get('type', 'stdio')} {target}")


def _hooks(view: XRay) -> Iterator[str]:
    hooks = view.settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, Mapping) else ():
        for group in _items(groups):
            for hook in _items(group.get("hooks")) if isinstance(group, Mapping) else ():
                if isinstance(hook, Mapping) and isinstance(group, Mapping):
                    what = hook.get("command") or hook.get("prompt") or hook.get("url") or ""
                    yield one_line(f"{event} {group.get('matcher') or ''}: {hook.get('type', '')} {what}")


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _prompt(view: XRay) -> Iterator[str]:
    yield "\nprompt"
    prompt = view.settings.get("system_prompt")
    if not isinstance(prompt, str):
        yield f"  ({_UNKNOWN})"
        return
    yield from (f"  {line}".rstrip() for line in inert(prompt).split("\n"))

"""The X-ray of an agent as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from maverick_tui.agent.catalog.python_values import shown
from maverick_tui.agent.tools import EDIT_TOOLS
from maverick_tui.cli.table import display_path, problem_lines
from maverick_tui.cli.width import wrap, wrap_document
from maverick_tui.cli.xray import Resolved, XRay
from maverick_tui.inert import inert, one_line

_LABEL = 10
_UNKNOWN = "unknown: only running the file would tell"
_ALONE = "without a person: exactly these run, nothing else"
_UNITS = {
    "timeout": "s without a sign of life",
    "max_turns": "turns",
    "max_tokens": "tokens an answer",
    "max_budget_usd": "US$",
}
_COUNTABLE = 10**18
_ORIGINS = {"agent": "", "settings": " (your settings)", "default": " (default)"}


def xray_lines(view: XRay) -> Iterator[str]:
    """Everything about the agent, the prompt last."""
    listing = view.listing
    yield from wrap(one_line(listing.name))
    yield from wrap(one_line(listing.description) or "(no description)", "  ", "  ")
    yield ""
    yield from _field("form", f"{listing.form}, from {_SOURCES[listing.source]}")
    yield from _field("file", display_path(str(listing.path)) if listing.path else one_line(listing.module))
    yield from _field("trust", _trust(view))
    yield from _field("model", _resolved(view.model))
    yield from _field("mode", _resolved(view.permission_mode))
    yield from _field("may", _may(view))
    if view.may:
        yield from _field("", _ALONE)
    yield from _field("asks", _asks(view))
    yield from _field("limits", ", ".join(_limit(name, value) for name, value in view.limits.items()))
    for name, server in view.servers.items():
        yield from _field("server", f"{one_line(name)}: {_server(server)}")
    yield from (line for hook in _hooks(view) for line in _field("hook", hook))
    for label, setting in (("effort", "effort"), ("skills", "skills"), ("start", "initial_prompt")):
        if value := view.settings.get(setting):
            yield from _field(label, _plain(value))
    if view.unknown:
        yield from _field("unknown", f"{', '.join(view.unknown)} (only running the file would tell)")
    yield from _prompt(view)
    if view.problems:
        yield ""
        yield "! problems"
        yield from problem_lines(view.problems)


_SOURCES = {
    "project": "the project",
    "user": "the user's folder",
    "package": "an installed package",
    "shipped": "Maverick itself",
}


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


def _resolved(resolved: Resolved) -> str:
    if resolved.origin == "unknown":
        return _UNKNOWN
    return _plain(resolved.value) + _ORIGINS[resolved.origin]


def _limit(name: str, resolved: Resolved) -> str:
    value = resolved.value
    if resolved.origin == "unknown":
        return f"{name} unknown"
    if value is None:
        return "no budget"
    if isinstance(value, float):
        text = f"{value:,g}"
    else:
        text = f"{value:,}" if isinstance(value, int) and value < _COUNTABLE else one_line(shown(value))
    return f"{text} {_UNITS[name]}{_ORIGINS[resolved.origin]}"


def _may(view: XRay) -> str | list[str]:
    if view.may is None:
        return "unknown: the file has errors" if any(p.is_error for p in view.problems) else _UNKNOWN
    tools = _listed(view.may) or ["nothing: no tools are named"]
    return tools if view.names_tools else ["all tools (the file names none):", *tools]


def _asks(view: XRay) -> str | list[str]:
    if view.asks is None:
        return "unknown"
    if view.permission_mode.value == "dontAsk":
        return "never: what would ask is refused"
    asks = _listed(view.asks) or ["never"]
    edits = [entry for entry in view.may or () if entry not in view.asks and entry.partition("(")[0] in EDIT_TOOLS]
    return [*asks[:-1], f"{asks[-1]};", *"outside of the project also".split(), *_listed(edits)] if edits else asks


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


def _plain(value: object) -> str:
    parts = value if isinstance(value, (list, tuple)) else (value,)
    return one_line(", ".join(part if isinstance(part, str) else shown(part) for part in parts))


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _prompt(view: XRay) -> Iterator[str]:
    yield ""
    yield "prompt"
    prompt = view.settings.get("system_prompt")
    if isinstance(prompt, str):
        yield from wrap_document(inert(prompt), "  ")
    else:
        missing = _UNKNOWN if "system_prompt" in view.unknown else "none"
        yield from wrap(f"({missing})" if prompt is None else one_line(shown(prompt)), "  ", "  ")

"""The X-ray of an agent in words, for whatever shows it; every text from a file is inert."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from maverick_tui.agent.tools import EDIT_TOOLS
from maverick_tui.agent.xray import Resolved, XRay
from maverick_tui.inert import one_line
from maverick_tui.inputs import InputSpec, as_text
from maverick_tui.shown import shown

UNKNOWN = "unknown: only running the file would tell"
NO_TOOLS = "nothing: no tools are named"
_OWN_TOOLS = "tools of its own, which its code chooses"

SOURCES = {
    "project": "the project",
    "user": "the user's folder",
    "package": "an installed package",
    "shipped": "Maverick itself",
}
ORIGINS = {"agent": "", "settings": "your settings", "default": "default", "unknown": ""}

_UNITS = {
    "timeout": "s without a sign of life",
    "max_turns": "turns",
    "max_tokens": "tokens an answer",
    "max_budget_usd": "US$",
}
_COUNTABLE = 10**18


def plain(value: object) -> str:
    """A setting of any kind on one line."""
    parts = value if isinstance(value, (list, tuple)) else (value,)
    return one_line(", ".join(part if isinstance(part, str) else shown(part) for part in parts))


def resolved(setting: Resolved) -> str:
    """What holds, without where it is from."""
    return UNKNOWN if setting.origin == "unknown" else plain(setting.value)


def limit(name: str, setting: Resolved) -> str:
    """One limit with its unit, without where it is from."""
    value = setting.value
    if setting.origin == "unknown":
        return f"{name} unknown"
    if value is None:
        return "no budget"
    if isinstance(value, float):
        text = f"{value:,g}"
    else:
        text = f"{value:,}" if isinstance(value, int) and value < _COUNTABLE else one_line(shown(value))
    return f"{text} {_UNITS[name]}"


def unlisted(view: XRay) -> str:
    """What to say where its tools cannot be listed."""
    if any(problem.is_error for problem in view.problems):
        return "unknown: the file has errors"
    return _OWN_TOOLS if view.has_own_session else UNKNOWN


class Asking(NamedTuple):
    """Tools that ask first, with words before and after them."""

    before: str = ""
    tools: tuple[str, ...] = ()
    after: str = ""


def asking(view: XRay) -> list[Asking]:
    """What asks first, in groups; one of words alone if that says all."""
    if view.asks is None:
        has_own = unlisted(view) == _OWN_TOOLS
        return [Asking("when its code does, in the conversation" if has_own else "unknown")]
    if view.permission_mode.value == "dontAsk":
        return [Asking("never: what would ask is refused")]
    asks = [one_line(tool) for tool in view.asks]
    edits = [
        one_line(tool) for tool in view.may or () if tool not in view.asks and tool.partition("(")[0] in EDIT_TOOLS
    ]
    groups = [
        Asking("", tuple(tool for tool in asks if tool != "Bash")),
        Asking("", tuple(tool for tool in asks if tool == "Bash"), "unless it only reads"),
        Asking("outside of the project also" if asks else "only outside of the project", tuple(edits)),
    ]
    beyond = "only for more than that, and where keys are kept" if view.may else "never"
    return [group for group in groups if group.tools] or [Asking(beyond)]


def servers(view: XRay) -> Iterator[tuple[str, str]]:
    """Name of each MCP server, and what it starts or where it is."""
    for name, server in view.servers.items():
        arguments = server.get("args")
        command = [server.get("command"), *(arguments if isinstance(arguments, list) else ())]
        target = server.get("url") or " ".join(str(part) for part in command if part is not None)
        yield one_line(name), one_line(f"{server.get('type', 'stdio')} {target}")


def hooks(view: XRay) -> Iterator[str]:
    """Each hook: when it runs, and what."""
    found = view.settings.get("hooks")
    for event, groups in found.items() if isinstance(found, Mapping) else ():
        for group in _items(groups):
            for hook in _items(group.get("hooks")) if isinstance(group, Mapping) else ():
                if isinstance(hook, Mapping) and isinstance(group, Mapping):
                    what = hook.get("command") or hook.get("prompt") or hook.get("url") or ""
                    when = f"{event} {group.get('matcher') or ''}".rstrip()
                    yield one_line(f"{when}: {hook.get('type', '')} {what}")


def declared(spec: InputSpec) -> str:
    """One input: its type or choices, its default or whether it may be left out, and what it is for."""
    kind = " | ".join(as_text(choice) for choice in spec.choices) or spec.type
    fallback = "" if spec.required else ", optional"
    if spec.default is not None:
        fallback = f", default {as_text(spec.default)}"
    return one_line(f"{kind}{fallback}{'. ' if spec.description else ''}{spec.description}")


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []

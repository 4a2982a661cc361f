"""The X-ray of an agent as rows, for whatever lays them out; every text from a file is inert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from maverick_tui.agent.fields import DEFAULT_ENGINE, FIELDS, SETTINGS
from maverick_tui.agent.tools import EDIT_TOOLS, SESSION_TOOLS
from maverick_tui.agent.xray import Resolved, XRay
from maverick_tui.fuse_amounts import are_amounts, in_words
from maverick_tui.inert import inert, one_line, whole_line
from maverick_tui.inputs import InputSpec, as_text
from maverick_tui.masking.redact import redact
from maverick_tui.shown import shown

Role = Literal["text", "tool", "intro", "muted", "success", "warning"]

SOURCES = {
    "project": "the project",
    "user": "the user's folder",
    "package": "an installed package",
    "shipped": "Maverick itself",
}

_ORIGINS = {"agent": "", "settings": "your settings", "default": "default", "unknown": ""}
_TRUSTED = "trusted, as long as the file does not change"
_RUNNING_TELLS = "only running the file would tell"
_UNKNOWN = f"unknown: {_RUNNING_TELLS}"
_OWN_TOOLS = "tools of its own, which its code chooses"
_COUNTABLE = 10**18


class RowPart(NamedTuple):
    """A piece of what a row says; a `tool` stays in one piece, an `intro` leads up to tools."""

    text: str
    role: Role = "text"
    note: str = ""
    """Who says so, or why."""


class XRayRow(NamedTuple):
    """One row: a label, and what it says; `name` tells rows of the same label apart."""

    label: str
    parts: tuple[RowPart, ...]
    name: str = ""


def rows(view: XRay, untrusted: str) -> Iterator[XRayRow]:
    """Everything but the prompts; `untrusted` says what is to be done about a file that is not trusted."""
    yield XRayRow("trust", (_trust(view, untrusted),))
    if view.listing.beware:
        role: Role = "warning" if view.listing.source == "project" else "muted"
        yield XRayRow("beware", (RowPart(view.listing.beware, role),))
    if view.engine != DEFAULT_ENGINE:
        yield XRayRow("engine", (RowPart(one_line(view.engine)),))
        yield from (XRayRow("", (RowPart(one_line(text)),), one_line(name)) for name, text in view.engine_settings)
    yield XRayRow("model", (_resolved(view.model),))
    yield XRayRow("mode", (_resolved(view.permission_mode),))
    yield XRayRow("may", _may(view))
    if view.may:
        yield XRayRow("alone", (RowPart(_alone(view.may)),))
    yield XRayRow("asks", _asks(view))
    yield XRayRow("limits", tuple(_limit(name, setting) for name, setting in view.limits.items()))
    yield from (XRayRow("inputs", (RowPart(_declared(spec)),), spec.name) for spec in view.inputs)
    yield from (XRayRow("servers", (RowPart(server),), name) for name, server in servers(view))
    yield from (XRayRow("hooks", (RowPart(hook),)) for hook in hooks(view))
    for field in FIELDS:
        if field.label and field.engine in ("", DEFAULT_ENGINE) and (value := view.settings.get(field.name)):
            yield XRayRow(field.label, (RowPart(_plain(value)),))
    if start := view.settings.get("initial_prompt"):
        yield XRayRow("start", (RowPart(_plain(start)),))
    if view.unknown:
        yield XRayRow("unknown", (RowPart(", ".join(view.unknown), "muted", _RUNNING_TELLS),))


def prompt(view: XRay) -> str:
    """The system prompt as it is, or why there is none to show."""
    text = view.settings.get("system_prompt")
    if text is None:
        return f"({_UNKNOWN})" if "system_prompt" in view.unknown else "(none)"
    return inert(text) if isinstance(text, str) else one_line(shown(text))


def servers(view: XRay) -> Iterator[tuple[str, str]]:
    """Name of each MCP server, and what it starts or where it is."""
    for name, server in view.servers.items():
        arguments = server.get("args")
        command = [server.get("command"), *(arguments if isinstance(arguments, list) else ())]
        # Where a word alone is no secret, `--api-key` before it makes it one.
        target = server.get("url") or redact(" ".join(str(part) for part in command if part is not None))
        yield whole_line(name), whole_line(f"{server.get('type', 'stdio')} {target}")


def hooks(view: XRay) -> Iterator[str]:
    """Each hook: when it runs, and what."""
    found = view.settings.get("hooks")
    for event, groups in found.items() if isinstance(found, Mapping) else ():
        for group in _items(groups):
            for hook in _items(group.get("hooks")) if isinstance(group, Mapping) else ():
                if isinstance(hook, Mapping) and isinstance(group, Mapping):
                    what = hook.get("command") or hook.get("prompt") or hook.get("url") or ""
                    what = " ".join(map(str, [what, *_items(hook.get("args"))]))
                    when = f"{event} {group.get('matcher') or ''}".rstrip()
                    yield whole_line(f"{when}: {hook.get('type', '')} {what}")


def _trust(view: XRay, untrusted: str) -> RowPart:
    if view.trust == "not needed":
        return RowPart(view.trust, "muted")
    return RowPart(_TRUSTED, "success") if view.trust == "trusted" else RowPart(untrusted, "warning")


def _resolved(setting: Resolved) -> RowPart:
    if setting.origin == "unknown":
        return RowPart(_UNKNOWN, "muted")
    return RowPart(_plain(setting.value), "text", _ORIGINS[setting.origin])


def _limit(name: str, setting: Resolved) -> RowPart:
    value = setting.value
    if setting.origin == "unknown":
        return RowPart(f"{name} unknown")
    if value is None:
        return RowPart("no budget")
    if isinstance(value, float):
        text = f"{value:,g}"
    else:
        text = f"{value:,}" if isinstance(value, int) and value < _COUNTABLE else one_line(shown(value))
    return RowPart(f"{text} {SETTINGS[name].unit}", "text", _ORIGINS[setting.origin])


def _may(view: XRay) -> tuple[RowPart, ...]:
    if view.may is None:
        return (RowPart(_unlisted(view), "muted"),)
    if not view.may:
        return (RowPart("nothing: no tools are named", "muted"),)
    tools = _tools(view.may)
    return tools if view.names_tools else (RowPart("all tools", "intro", "the file names none"), *tools)


def _unlisted(view: XRay) -> str:
    if any(problem.is_error for problem in view.problems):
        return "unknown: the file has errors"
    return _OWN_TOOLS if view.has_own_session else _UNKNOWN


def _alone(tools: tuple[str, ...]) -> str:
    """What runs without a person; the CLI has no tools then that want an answer."""
    missing = [tool for tool in tools if tool in SESSION_TOOLS]
    but = f" but {', '.join(missing)}" if missing else ""
    return f"without a person: exactly these run{but}, nothing else"


def _asks(view: XRay) -> tuple[RowPart, ...]:
    """What asks first, in groups with semicolons between them; words alone if they say all."""
    if view.asks is None:
        has_own = _unlisted(view) == _OWN_TOOLS
        return (RowPart("when its code does, in the conversation" if has_own else "unknown", "muted"),)
    if view.permission_mode.value == "dontAsk":
        return (RowPart("never: what would ask is refused"),)
    edits = [tool for tool in view.may or () if tool not in view.asks and tool.partition("(")[0] in EDIT_TOOLS]
    bash = [tool for tool in view.asks if tool == "Bash"]
    outside = RowPart("outside of the project also" if view.asks else "only outside of the project", "muted")
    groups = [
        _tools(tool for tool in view.asks if tool != "Bash"),
        (*_tools(bash), RowPart("unless it only reads", "muted")) if bash else (),
        (outside, *_tools(edits)) if edits else (),
    ]
    *others, last = [group for group in groups if group] or [()]
    if not last:
        return (RowPart("only for more than that, and where keys are kept" if view.may else "never"),)
    ended = [part for group in others for part in (*group[:-1], group[-1]._replace(text=f"{group[-1].text};"))]
    return (*ended, *last)


def _declared(spec: InputSpec) -> str:
    """Its type or choices, its default or whether it may be left out, and what it is for."""
    kind = " | ".join(as_text(choice) for choice in spec.choices) or spec.type
    fallback = "" if spec.required else ", optional"
    if spec.default is not None:
        fallback = f", default {as_text(spec.default)}"
    return one_line(f"{kind}{fallback}{'. ' if spec.description else ''}{spec.description}")


def _plain(value: object) -> str:
    """A setting of any kind on one line."""
    if isinstance(value, Mapping) and are_amounts(value):
        return ", ".join(in_words(str(unit), amount) for unit, amount in value.items())
    parts = value if isinstance(value, (list, tuple)) else (value,)
    return one_line(", ".join(part if isinstance(part, str) else shown(part) for part in parts))


def _tools(entries: Iterable[str]) -> tuple[RowPart, ...]:
    return tuple(RowPart(whole_line(entry), "tool") for entry in entries)


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []

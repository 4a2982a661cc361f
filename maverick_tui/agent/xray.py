"""The X-ray of an agent: everything it is and may do, with the defaults filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from maverick_tui.agent.catalog.folders import read_file
from maverick_tui.agent.catalog.listing import AgentListing
from maverick_tui.agent.catalog.loading import quiet
from maverick_tui.agent.catalog.problems import Problem, errors
from maverick_tui.agent.catalog.started_commands import made
from maverick_tui.agent.catalog.yaml_nodes import Json
from maverick_tui.agent.fields import DEFAULT_ENGINE, FIELDS, SETTINGS
from maverick_tui.exceptions import ConfigError, InvalidToolError
from maverick_tui.executor.model import DEFAULT_MODEL
from maverick_tui.inputs import InputSpec, parse_inputs
from maverick_tui.masking.redact import redact, redact_data, without
from maverick_tui.masking.settings import given_to_server
from maverick_tui.modes import DEFAULT_PERMISSION_MODE
from maverick_tui.plain_settings import PlainSettings, read_here
from maverick_tui.shown import shown

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.trust import TrustStore

Trust = Literal["not needed", "trusted", "not trusted"]

_NAMES_ONLY = ("env", "headers")


class Resolved(NamedTuple):
    """A value that holds, and who says so; what a Python file gives may be anything."""

    value: object
    origin: Literal["agent", "settings", "default", "unknown"]


@dataclass(frozen=True, slots=True)
class XRay:
    """Everything about an agent; `unknown` names what only running its file would tell."""

    listing: AgentListing
    trust: Trust
    names_tools: bool
    may: tuple[str, ...] | None
    asks: tuple[str, ...] | None
    """The tools that ask first when there is a person."""
    model: Resolved
    permission_mode: Resolved
    limits: Mapping[str, Resolved]
    settings: Mapping[str, object]
    unknown: tuple[str, ...]
    problems: tuple[Problem, ...]

    def to_json(self) -> dict[str, Json]:
        """The same as a JSON object."""
        return {
            "name": self.listing.name,
            "description": self.listing.description,
            "source": self.listing.source,
            "form": self.listing.form,
            "path": None if self.listing.path is None else str(self.listing.path),
            "trust": self.trust,
            "stands_in_for": self.listing.to_json()["stands_in_for"],
            "engine": self.engine,
            "engine_settings": [list(pair) for pair in self.engine_settings],
            "model": _pair(self.model),
            "permission_mode": _pair(self.permission_mode),
            "names_tools": self.names_tools,
            "may": None if self.may is None else list(self.may),
            "asks": None if self.asks is None else list(self.asks),
            "limits": {name: _pair(value) for name, value in self.limits.items()},
            "mcp_servers": {name: dict(server) for name, server in self.servers.items()},
            "hooks": _json(self.settings.get("hooks") or {}),
            "skills": _json(self.settings.get("skills") or []),
            "effort": _json(self.settings.get("effort")),
            "inputs": [spec.to_json() for spec in self.inputs],
            "initial_prompt": _json(self.settings.get("initial_prompt")),
            "prompt": _json(self.settings.get("system_prompt")),
            "unknown": list(self.unknown),
            "problems": [dict(problem.to_json()) for problem in self.problems],
        }

    @property
    def engine_settings(self) -> list[tuple[str, str]]:
        """What only the engine `api` has: limits of its own, agents that it calls, how the model answers."""
        limits = self.settings.get("limits")
        pairs = limits.items() if isinstance(limits, Mapping) else ()
        labels = [(field.label, self.settings.get(field.name)) for field in FIELDS if field.engine == "api"]
        return [
            *(("limit", f"{name} {shown(value)}") for name, value in pairs),
            *((label, shown(value)) for label, value in labels if label and value not in (None, (), [], {}, "")),
        ]

    @property
    def engine(self) -> str:
        """What runs it."""
        return plain if isinstance(plain := self.settings.get("engine"), str) else DEFAULT_ENGINE

    @property
    def has_own_session(self) -> bool:
        """Whether it opens its own sessions, so that only its code says what it uses."""
        return _has_own_session(self.settings)

    @property
    def inputs(self) -> tuple[InputSpec, ...]:
        """What is asked for before it runs; wrong ones, which are among the problems, are left out."""
        return _inputs(self.settings)

    @property
    def servers(self) -> dict[str, dict[str, Json]]:
        """The MCP servers without the values of variables and headers, nor what else may be a secret."""
        found = self.settings.get("mcp_servers")
        servers: dict[str, dict[str, Json]] = {}
        for name, server in found.items() if isinstance(found, Mapping) else ():
            servers[str(name)] = _server(server) if isinstance(server, Mapping) else {"type": "unknown"}
        return servers


def xray(
    listing: AgentListing, store: TrustStore, *, may_load: bool = True, config: PlainSettings | None = None
) -> XRay:
    """Look into an agent; unless it is trusted and `may_load`, its file is only read."""
    known = _known(listing, store, may_load=may_load)
    return _resolve(listing, known, config or read_here())


def declared_inputs(listing: AgentListing, store: TrustStore) -> tuple[InputSpec, ...]:
    """The inputs of an agent that may run; where only running its file tells them, it is run."""
    return _inputs(_known(listing, store).settings)


class _Known(NamedTuple):
    """What an agent says of itself."""

    trust: Trust
    settings: Mapping[str, object]
    unknown: tuple[str, ...]
    problems: tuple[Problem, ...]


def _known(listing: AgentListing, store: TrustStore, *, may_load: bool = True) -> _Known:
    trust = _trust(listing, store)
    settings, unknown, problems = _read(listing)
    if may_load and unknown and trust != "not trusted" and not errors(problems):
        loaded, problem = _load(listing, store)
        problems += problem
        if loaded:
            settings, unknown = loaded, ()
    return _Known(trust, settings, unknown, tuple(problems))


def _trust(listing: AgentListing, store: TrustStore) -> Trust:
    if not listing.needs_trust:
        return "not needed"
    from maverick_tui.agent.catalog.loading import prepare

    try:
        files = prepare(listing).to_trust
    except ConfigError:  # it has errors, which are shown
        return "not trusted"
    return "trusted" if all(store.is_trusted(path, content) for path, content in files) else "not trusted"


def _read(listing: AgentListing) -> tuple[dict[str, object], tuple[str, ...], list[Problem]]:
    """Settings, the names of those that are unknown, and problems, all without running anything."""
    content = read_file(listing.path) if listing.path else None
    if isinstance(content, Problem):
        return {}, tuple(SETTINGS), [content]
    if listing.path is None or content is None:
        return {}, tuple(SETTINGS), list(listing.problems)
    if listing.form == "markdown":
        from maverick_tui.agent.catalog.markdown import parse
        from maverick_tui.agent.catalog.mcp_servers import McpLookup

        file, problems = parse(listing.path, content, McpLookup(listing.cwd))
        if file is None:
            return {}, tuple(SETTINGS), problems
        return {**file.settings, "names_tools": file.names_tools}, (), problems
    from maverick_tui.agent.catalog import python_file

    agents, problems = python_file.parse(listing.path, content)
    for agent in agents:
        if agent.class_name == listing.class_name:
            settings = {**agent.settings, "has_own_session": agent.has_own_session}
            return settings, tuple(sorted(agent.unknown)), problems
    return {}, tuple(SETTINGS), list(listing.problems)


def _load(listing: AgentListing, store: TrustStore) -> tuple[dict[str, object], list[Problem]]:
    """The settings of the agent's class, or of an instance if it can be made just so."""
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.catalog.loading import load

    try:
        cls = load(listing, store)
    except ConfigError as error:
        path = error.path or str(listing.path)
        where = f"{path}:{error.line}" if error.line else path
        reason = error.message.removeprefix(f"{where} ")
        return {}, [Problem(path, error.line, reason[:1].upper() + reason[1:], error.hint)]
    with quiet():
        subject = made(cls)
    settings = {name: getattr(subject, name, None) for name in SETTINGS}
    settings["has_own_session"] = cls.api_session is not MaverickAgent.api_session
    if not getattr(subject, "_names_model", True):
        settings["model"] = None  # the base class has filled in the default
    return settings, []


def _inputs(settings: Mapping[str, object]) -> tuple[InputSpec, ...]:
    declared = settings.get("inputs")
    return parse_inputs(declared)[0] if isinstance(declared, Mapping) else ()


def _resolve(listing: AgentListing, agent: _Known, config: PlainSettings) -> XRay:
    trust, settings, unknown, problems = agent

    def resolve(name: str, default: str | None = None) -> Resolved:
        if value := settings.get(name):
            return Resolved(value, "agent")
        if name in unknown:
            return Resolved(None, "unknown")
        if (configured := getattr(config, name)) is not None:
            return Resolved(configured, "settings" if name in config.given else "default")
        return Resolved(default, "default")

    tools = settings.get("allowed_tools", ())
    known = (
        isinstance(tools, (list, tuple)) and not {"allowed_tools", "own_tools"} & {*unknown} and not errors(problems)
    )
    may: tuple[str, ...] | None = None
    if known and isinstance(tools, (list, tuple)) and not _has_own_session(settings):
        may = (*map(str, tools), *(name for name, _ in _own_tools(settings)))
    mode = resolve("permission_mode", DEFAULT_PERMISSION_MODE)
    return XRay(
        listing=listing,
        trust=trust,
        names_tools=bool(settings.get("names_tools", True)),
        may=may,
        asks=None
        if may is None or mode.origin == "unknown"
        else tuple(_asking(may, settings, str(mode.value), listing)),
        model=resolve("model", DEFAULT_MODEL),
        permission_mode=mode,
        limits={field.name: resolve(field.name) for field in FIELDS if field.unit},
        settings=settings,
        unknown=unknown,
        problems=problems,
    )


def _has_own_session(settings: Mapping[str, object]) -> bool:
    return bool(settings.get("has_own_session")) and settings.get("engine") == "api"


def _own_tools(settings: Mapping[str, object]) -> list[tuple[str, bool]]:
    """Name of each tool that an agent brings along, and whether it only reads; known once the file was run."""
    found = settings.get("own_tools")
    return [
        (str(getattr(tool, "name", getattr(tool, "__name__", tool))), bool(getattr(tool, "is_read_only", False)))
        for tool in (found if isinstance(found, (list, tuple)) else ())
    ]


def _pair(resolved: Resolved) -> Json:
    return {"value": _json(resolved.value), "from": resolved.origin}


def _names(variables: object) -> Json:
    return [str(name) for name in sorted(map(str, variables))] if isinstance(variables, Mapping) else []


def _server(settings: Mapping[str, object]) -> dict[str, Json]:
    hidden = given_to_server(settings)

    def masked(text: str) -> str:
        return redact(without(text, hidden))

    return {
        str(key): _names(value) if key in _NAMES_ONLY else redact_data(_json(value), masked)
        for key, value in settings.items()
    }


def _asking(may: tuple[str, ...], settings: Mapping[str, object], mode: str, listing: AgentListing) -> Iterator[str]:
    """The tools that ask first. Each takes a look at the disk, so it is done before anything is drawn."""
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.agent.permissions.asks_first import asks_first  # with a parser, which inputs can do without
    from maverick_tui.agent.permissions.standing import RuleBook

    standing = RuleBook(listing.cwd, listing.name, TrustStore().is_trusted)
    reading = [name for name, is_read_only in _own_tools(settings) if is_read_only]
    for entry in may:
        try:
            is_asked = entry not in reading and asks_first(entry, mode, listing.cwd, standing)
        except InvalidToolError:
            is_asked = True
        if is_asked:
            yield entry


def _json(value: object) -> Json:
    """Settings of Python classes may hold anything; what JSON cannot express becomes text."""
    try:
        plain: Json = json.loads(json.dumps(value, default=_jsonable, allow_nan=False))
    except Exception:  # circular, infinite, too deep, a number of too many digits, an object of the author's
        return shown(value)
    return plain


def _jsonable(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return sorted(map(str, value)) if isinstance(value, (set, frozenset)) else shown(value)

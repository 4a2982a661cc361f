"""Finds agent classes in a syntax tree, and what their literals say; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from maverick_tui.agent.catalog.python_settings import (
    class_attributes,
    constants,
    constructor_arguments,
    set_from_outside,
)
from maverick_tui.agent.fields import SETTINGS, agent_name
from maverick_tui.inputs import InputSpec, parse_inputs

BASE = "MaverickAgent"

MAX_CLASSES = 100
MAX_STATEMENTS = 1_000
"""Most classes of a file, and most statements of a class, that are looked at."""

_NEUTRAL_BASES = ("ABC", "Generic", "Protocol", "object")
_NEUTRAL_DECORATORS = ("register", "final", "dataclass")

Family = list[ast.ClassDef]
"""A class and those of its file that it inherits from, nearest first."""

Literals = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PythonAgent:
    """An agent class as far as it can be known without running its file."""

    class_name: str
    line: int
    name: str
    description: str
    settings: Literals
    """Attributes whose values are written out."""
    nodes: Mapping[str, ast.expr]
    """The expressions that the attributes are given."""
    unknown: frozenset[str]
    """Attributes that only running the file would tell."""
    has_own_session: bool = False
    """Whether it opens its own sessions, so that only its code says what it uses."""

    def text(self, setting: str) -> str | None:
        """A setting that is text, None if it is not there or not known."""
        value = self.settings.get(setting)
        return value if isinstance(value, str) else None

    def line_of(self, setting: str) -> int:
        """Where the setting is written, or else the class."""
        return getattr(self.nodes.get(setting), "lineno", self.line)

    @property
    def allowed_tools(self) -> tuple[str, ...] | None:
        """The tools, None if they are not known; an agent that names none has none."""
        if "allowed_tools" in self.unknown:
            return None
        value = self.settings.get("allowed_tools", ())
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, (list, tuple)) else None

    @property
    def tools(self) -> tuple[str, ...] | None:
        """The same with what it brings along: the names of such tools only running the file would tell."""
        chooses_itself = self.has_own_session and self.text("engine") == "api"
        return None if chooses_itself or "own_tools" in self.unknown else self.allowed_tools

    @property
    def inputs(self) -> tuple[InputSpec, ...]:
        """The inputs that are written out and right."""
        return parse_inputs(self.settings.get("inputs") or {})[0]


class AgentClasses:
    """The agent classes of a syntax tree."""

    def __init__(self, module: ast.Module) -> None:
        statements = list(_top_level(module.body))
        self._constants = constants(statements)
        self._set_from_outside = set_from_outside(statements)
        self._bases = {BASE} | {
            alias.asname
            for statement in statements
            if isinstance(statement, ast.ImportFrom)
            for alias in statement.names
            if alias.name == BASE and alias.asname
        }
        classes = [statement for statement in statements if isinstance(statement, ast.ClassDef)]
        self.are_too_many = len(classes) > MAX_CLASSES
        self._classes = {cls.name: cls for cls in classes[:MAX_CLASSES]}
        for cls in self._classes.values():
            del cls.body[MAX_STATEMENTS:]

    def families(self) -> list[Family]:
        """The classes that no other class of the file inherits from, even without `execute`, in its order."""
        families = [family for cls in self._classes.values() if self._is_agent(family := self._family(cls))]
        inherited = {cls.name for family in families for cls in family[1:]}
        return [family for family in families if family[0].name not in inherited]

    def agents(self) -> list[PythonAgent]:
        """The concrete ones, in the order of the file."""
        return [
            self._agent(cls, family)
            for cls in self._classes.values()
            if self._is_agent(family := self._family(cls)) and _is_concrete(family)
        ]

    def _family(self, cls: ast.ClassDef) -> Family:
        family: dict[str, ast.ClassDef] = {}
        waiting = [cls.name]
        while waiting:
            name = waiting.pop(0)
            if name in self._classes and name not in family:
                family[name] = self._classes[name]
                waiting += [base.id for base in family[name].bases if isinstance(base, ast.Name)]
        return list(family.values())

    def _is_agent(self, family: Iterable[ast.ClassDef]) -> bool:
        bases = [base for cls in family for base in cls.bases]
        return any(
            (isinstance(base, ast.Name) and base.id in self._bases)
            or (isinstance(base, ast.Attribute) and base.attr == BASE)
            for base in bases
        )

    def _is_changed_from_elsewhere(self, family: Family) -> bool:
        """Whether a base that is not in the file, or a decorator, may set something."""
        decorators = [decorator for cls in family for decorator in cls.decorator_list]
        if any(_called(decorator) not in _NEUTRAL_DECORATORS for decorator in decorators):
            return True
        bases = [base.value if isinstance(base, ast.Subscript) else base for cls in family for base in cls.bases]
        names = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in bases]
        return any(name not in {*self._bases, *self._classes, *_NEUTRAL_BASES} for name in names)

    def _agent(self, cls: ast.ClassDef, family: Family) -> PythonAgent:
        values: dict[str, ast.expr] = {}
        for member in reversed(family):
            values |= class_attributes(member) | self._set_from_outside.get(member.name, {})
            values |= constructor_arguments(member)
        nodes = {setting: self._constants.get(getattr(node, "id", ""), node) for setting, node in values.items()}
        known: dict[str, object] = {}
        for setting, node in nodes.items():
            try:
                known[setting] = ast.literal_eval(node)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
        unknown = set(SETTINGS) if self._is_changed_from_elsewhere(family) else nodes.keys()
        name = _registered_name(cls) or known.get("name")
        documentation = (ast.get_docstring(cls) or "").strip().split("\n")[0]
        description = known.get("description")
        return PythonAgent(
            class_name=cls.name,
            line=cls.lineno,
            name=name if isinstance(name, str) and name.strip() else agent_name(cls.name),
            description=description if isinstance(description, str) and description else documentation,
            settings=known,
            nodes=nodes,
            unknown=frozenset(unknown - known.keys()),
            has_own_session=any(_method(member, "api_session") for member in family),
        )


def _top_level(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """What importing the file defines, including what is under `if` and `try`."""
    for statement in statements:
        yield statement
        if isinstance(statement, ast.If):
            yield from _top_level([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.Try):
            handlers = [inner for handler in statement.handlers for inner in handler.body]
            yield from _top_level([*statement.body, *handlers, *statement.orelse, *statement.finalbody])


def _is_concrete(family: Iterable[ast.ClassDef]) -> bool:
    for cls in family:
        if execute := _method(cls, "execute"):
            names = {getattr(node, "id", getattr(node, "attr", "")) for node in execute.decorator_list}
            return "abstractmethod" not in names
    return False


def _method(cls: ast.ClassDef, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    for statement in cls.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and statement.name == name:
            return statement
    return None


def _called(decorator: ast.expr) -> str:
    """The last name of `@a.b.name` and `@a.b.name(...)`."""
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return named.id if isinstance(named, ast.Name) else getattr(named, "attr", "")


def _registered_name(cls: ast.ClassDef) -> str | None:
    for decorator in cls.decorator_list:
        if isinstance(decorator, ast.Call) and decorator.args and _called(decorator) == "register":
            first = decorator.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                return first.value
    return None

"""Finds the expressions that a class in a syntax tree gives its settings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import takewhile

SETTINGS = (
    "name", "description", "system_prompt", "allowed_tools", "model", "mcp_servers", "permission_mode", "max_turns",
    "timeout", "max_tokens", "max_budget_usd", "effort", "skills", "hooks", "initial_prompt",
)  # fmt: skip
_POSITIONAL = ("name", "system_prompt", "allowed_tools", "model", "mcp_servers")  # of the constructor

_UNKNOWN = ast.Name("")


def _assignments(statements: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in statements:
        if isinstance(statement, ast.Assign):
            yield from ((target.id, statement.value) for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)) and isinstance(statement.target, ast.Name):
            # What += adds to is not a literal any more, which `x = y` with an unknown y is not either.
            if isinstance(statement, ast.AugAssign):
                yield statement.target.id, statement.target
            elif statement.value is not None:
                yield statement.target.id, statement.value


def constants(statements: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """Names that are assigned exactly once."""
    found: dict[str, list[ast.expr]] = {}
    for name, value in _assignments(statements):
        found.setdefault(name, []).append(value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def class_attributes(cls: ast.ClassDef) -> dict[str, ast.expr]:
    """What is assigned in the body of the class."""
    return {name: value for name, value in _assignments(cls.body) if name in SETTINGS}


def constructor_arguments(cls: ast.ClassDef) -> dict[str, ast.expr]:
    """What `__init__` passes to `super().__init__` or sets on itself: it replaces the class attributes."""
    init = next((part for part in cls.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
    if init is None:
        return {}
    given: dict[str, ast.expr] = {}
    for node in ast.walk(init):
        if isinstance(node, ast.Call) and _is_super_init(node.func):
            given |= dict(zip(_POSITIONAL, _before_star(node.args), strict=False))
            given |= {word.arg: word.value for word in node.keywords if word.arg in SETTINGS}
            if any(word.arg is None and not _is_own_kwargs(word.value, init) for word in node.keywords):
                given |= {setting: _UNKNOWN for setting in _POSITIONAL if setting not in given}
        elif isinstance(node, ast.Assign):
            names = [target.attr for target in node.targets if isinstance(target, ast.Attribute)]
            given |= {name: node.value for name in names if name in SETTINGS}
    defaults = _parameter_defaults(init)
    resolved = {setting: defaults.get(getattr(node, "id", ""), node) for setting, node in given.items()}
    # None asks the base class for its own.
    return {setting: node for setting, node in resolved.items() if getattr(node, "value", ...) is not None}


def _before_star(arguments: Iterable[ast.expr]) -> Iterator[ast.expr]:
    return takewhile(lambda argument: not isinstance(argument, ast.Starred), arguments)


def _is_own_kwargs(node: ast.expr, init: ast.FunctionDef) -> bool:
    return isinstance(node, ast.Name) and init.args.kwarg is not None and node.id == init.args.kwarg.arg


def _parameter_defaults(init: ast.FunctionDef) -> dict[str, ast.expr]:
    parameters = [*init.args.posonlyargs, *init.args.args]
    found: dict[str, ast.expr] = {parameter.arg: _UNKNOWN for parameter in [*parameters, *init.args.kwonlyargs]}
    late = parameters[len(parameters) - len(init.args.defaults) :]
    found |= {parameter.arg: default for parameter, default in zip(late, init.args.defaults, strict=True)}
    for parameter, only in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True):
        if only is not None:
            found[parameter.arg] = only
    return found


def _is_super_init(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "__init__"
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "super"
    )

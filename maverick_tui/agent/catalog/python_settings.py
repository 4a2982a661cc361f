"""Finds the expressions that a class in a syntax tree gives its settings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import takewhile

from maverick_tui.agent.fields import SETTINGS

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


def assigned_names(cls: ast.ClassDef) -> dict[str, int]:
    """Every name that a plain assignment in the body of the class gives a value, and its line."""
    return {name: value.lineno for name, value in _assignments(cls.body)}


def class_attributes(cls: ast.ClassDef) -> dict[str, ast.expr]:
    """What is assigned in the body of the class; what is set there in another way is not a literal."""
    attributes = {name: value for name, value in _assignments(cls.body) if name in SETTINGS}
    return attributes | {name: _UNKNOWN for name in _set_otherwise(cls.body) if name in SETTINGS}


def _set_otherwise(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """Names of functions (a property), and what is assigned under `if`, in a tuple or the like."""
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)):
            yield from (node.id for node in ast.walk(statement) if _is_stored(node) and isinstance(node, ast.Name))
        elif isinstance(statement, ast.Assign):
            unpacked = [target for target in statement.targets if isinstance(target, (ast.Tuple, ast.List))]
            yield from (node.id for target in unpacked for node in ast.walk(target) if isinstance(node, ast.Name))


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def set_from_outside(statements: Iterable[ast.stmt]) -> dict[str, dict[str, ast.expr]]:
    """By class, the settings that `Class.setting = value` gives it after its definition."""
    found: dict[str, dict[str, ast.expr]] = {}
    for statement in statements:
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.attr in SETTINGS:
                found.setdefault(target.value.id, {})[target.attr] = _UNKNOWN
    return found


def constructor_arguments(cls: ast.ClassDef) -> dict[str, ast.expr]:
    """What `__init__` passes to `super().__init__` or sets on itself: it replaces the class attributes."""
    init = next((part for part in cls.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
    if init is None:
        return {}
    given: dict[str, ast.expr] = {}
    for node in ast.walk(init):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "__init__":
            arguments = node.args if _is_super(node.func) else node.args[1:]  # Base.__init__(self, ...)
            before_star = takewhile(lambda argument: not isinstance(argument, ast.Starred), arguments)
            given |= dict(zip(_POSITIONAL, before_star, strict=False))
            given |= {word.arg: word.value for word in node.keywords if word.arg in SETTINGS}
            if _passes_on_something_else(node, init):
                given |= {setting: _UNKNOWN for setting in _POSITIONAL if setting not in given}
        elif (key := _put_into_kwargs(node, init)) in SETTINGS:
            given.setdefault(key, _UNKNOWN)
        elif isinstance(node, ast.Assign):
            names = [target.attr for target in node.targets if isinstance(target, ast.Attribute)]
            given |= {name: node.value for name in names if name in SETTINGS}
    defaults = _parameter_defaults(init)
    resolved = {setting: defaults.get(getattr(node, "id", ""), node) for setting, node in given.items()}
    # None asks the base class for its own.
    return {setting: node for setting, node in resolved.items() if getattr(node, "value", ...) is not None}


def _passes_on_something_else(call: ast.Call, init: ast.FunctionDef) -> bool:
    """Whether there are `*values` or `**values` in the call that are not those of the caller."""
    starred = [argument.value for argument in call.args if isinstance(argument, ast.Starred)]
    starred += [word.value for word in call.keywords if word.arg is None]
    own = {parameter.arg for parameter in (init.args.vararg, init.args.kwarg) if parameter is not None}
    return any(getattr(node, "id", "") not in own for node in starred)


def _parameter_defaults(init: ast.FunctionDef) -> dict[str, ast.expr]:
    parameters = [*init.args.posonlyargs, *init.args.args]
    found: dict[str, ast.expr] = {parameter.arg: _UNKNOWN for parameter in [*parameters, *init.args.kwonlyargs]}
    late = parameters[len(parameters) - len(init.args.defaults) :]
    found |= {parameter.arg: default for parameter, default in zip(late, init.args.defaults, strict=True)}
    for parameter, only in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True):
        if only is not None:
            found[parameter.arg] = only
    return found


def _put_into_kwargs(node: ast.AST, init: ast.FunctionDef) -> str:
    """The key in `kwargs["key"] = ...` and `kwargs.setdefault("key", ...)`, else nothing."""
    if isinstance(node, ast.Subscript) and _is_stored(node):
        holder, key = node.value, node.slice
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "setdefault" and node.args:
        holder, key = getattr(node.func, "value", node), node.args[0]
    else:
        return ""
    is_own = init.args.kwarg is not None and getattr(holder, "id", "") == init.args.kwarg.arg
    return key.value if is_own and isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _is_super(init: ast.expr) -> bool:
    """Whether it is `super().__init__`."""
    called = getattr(getattr(init, "value", None), "func", None)
    return isinstance(called, ast.Name) and called.id == "super"

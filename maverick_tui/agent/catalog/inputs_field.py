"""Checks `inputs` of an agent, in Markdown and in Python alike: each mistake is told with its line."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.yaml_nodes import Json, Node
from maverick_tui.inputs import InputSpec, parse_inputs, places


def read_inputs(node: Node | None, log: ProblemLog) -> tuple[InputSpec, ...]:
    """The inputs that a Markdown file declares; one that is wrong is reported and left out."""
    if node is None:
        return ()
    specs, mistakes = parse_inputs(_declared(node))
    for mistake in mistakes:
        log.error(_line_in_yaml(node, mistake.at), mistake.message, mistake.hint)
    return specs


def warn_of_unused(specs: Iterable[InputSpec], texts: Sequence[str], node: Node | None, log: ProblemLog) -> None:
    """Report inputs that none of these texts mentions: they would be asked for in vain."""
    used = {name for text in texts for name, _, _ in places(text)}
    for spec in specs:
        if node is not None and spec.name not in used:
            message = f"inputs: {spec.name!r} is asked for, but ${{{spec.name}}} is nowhere in the prompt."
            log.warning(_line_in_yaml(node, (spec.name,)), message, "Use it, or remove it.")


def check_inputs(node: ast.expr | None, value: object, line: int, log: ProblemLog) -> None:
    """Report mistakes in the map that a Python class writes out."""
    for mistake in parse_inputs(value)[1]:
        log.error(_line_in_python(node, mistake.at, line), mistake.message, mistake.hint)


def _declared(node: Node) -> Json:
    """The bare values, with text as it was written: YAML would make a number of a version."""
    if not isinstance(node.value, dict):
        return node.to_json()
    return {name: _entry(entry) for name, entry in node.value.items()}


def _entry(node: Node) -> Json:
    if not isinstance(node.value, dict):
        return node.to_json()
    kind = node.value.get("type")
    textual = ("description", "default", "choices") if kind is None or kind.text == "string" else ("description",)
    return {key: _as_written(item) if key in textual else item.to_json() for key, item in node.value.items()}


def _as_written(node: Node) -> Json:
    if isinstance(node.value, tuple):
        return [_as_written(item) for item in node.value]
    return node.to_json() if isinstance(node.value, dict) or node.value is None else node.text


def _line_in_yaml(node: Node, at: Sequence[str]) -> int:
    for key in at:
        if not isinstance(node.value, dict) or key not in node.value:
            break
        node = node.value[key]
    return node.line


def _line_in_python(node: ast.expr | None, at: Sequence[str], line: int) -> int:
    for key in at:
        if not isinstance(node, ast.Dict):
            break
        pairs = zip(node.keys, node.values, strict=True)
        found = next((pair for pair in pairs if isinstance(pair[0], ast.Constant) and str(pair[0].value) == key), None)
        if found is None or found[0] is None:
            break
        line, node = found[0].lineno, found[1]
    return line

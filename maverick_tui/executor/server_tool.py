"""A tool of an MCP server, as the executor calls it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.tools import ToolContext, ToolError


class ServerTool:
    """Checks the arguments by the tool's own schema, and gives the result as text."""

    is_read_only = False
    """Whatever the server says of it: nobody is bound to tell the truth about himself."""

    def __init__(self, name: str, listed: Any, call: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> None:
        """`listed` is the tool as the server has described it; `call` sends a call there."""
        self.name = name
        self.description: str = listed.description or ""
        self.parameters: dict[str, Any] = {"type": "object", **listed.input_schema}
        self._own_name: str = listed.name
        self._call = call
        self._validator = _validator(name, self.parameters)

    async def execute(self, arguments: dict[str, Any], context: ToolContext) -> str:
        """Call it; what it reports as an error is a `ToolError`."""
        if wrong := self._wrong(arguments):
            raise ToolError(f"The arguments of {self.name} are wrong: {wrong}.")
        result = await self._call(self._own_name, arguments)
        text = as_text(result)
        if result.is_error:
            raise ToolError(text or f"{self.name} has failed, and does not say why.")
        return text

    def _wrong(self, arguments: dict[str, Any]) -> str:
        from referencing.exceptions import Unresolvable

        try:
            errors = sorted(self._validator.iter_errors(arguments), key=lambda error: [str(at) for at in error.path])
        except Unresolvable as error:
            raise ToolError(
                f"{self.name} cannot be called: its schema refers to {error}, which is elsewhere."
            ) from error
        parts = []
        for wrong in errors[:5]:
            where = ".".join(map(str, wrong.path))
            parts.append(f"{where}: {wrong.message[:200]}" if where else wrong.message[:200])
        return "; ".join(parts)


def _validator(name: str, schema: dict[str, Any]) -> Any:
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise ConfigError(
            f"The tool {name!r} has parameters that are no JSON schema: {error.message[:200]}.",
            hint="Correct the server, or leave the tool out.",
        ) from error
    # A registry of its own, since the one by default fetches what a schema refers to.
    return kind(schema, registry=Registry())


def as_text(result: Any) -> str:
    """What a tool has answered; a picture can only be mentioned."""
    parts = [_block(block) for block in result.content]
    if not any(block.type == "text" for block in result.content) and result.structured_content is not None:
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return "\n".join(part for part in parts if part)


def _block(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            return f"[{block.type}: {block.mime_type}, {len(block.data) * 3 // 4:,} bytes]"
        case "resource_link":
            return f"[link: {block.uri}]"
        case "resource" if hasattr(block.resource, "text"):
            return str(block.resource.text)
        case "resource":
            return f"[resource: {block.resource.uri}]"
        case other:
            return f"[{other}]"

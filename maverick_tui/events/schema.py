"""The JSON Schema of events, made of their classes."""

from __future__ import annotations

from typing import Any

from maverick_tui.events.kinds import EVENTS, SCHEMA

_ABOUT = (
    "An event of a run: a line of `maverick run --output stream-json`. Kinds and fields may be added at any time; "
    "x-schema grows when a reader of today could not make sense of tomorrow's."
)


def event_schema() -> dict[str, Any]:
    """What an event looks like that travels: its own fields, its number under `seq` and its kind under `type`."""
    from pydantic import TypeAdapter

    kinds: dict[str, Any] = {}
    parts: dict[str, Any] = {}
    for tag, kind in EVENTS.items():
        made = TypeAdapter(kind).json_schema(ref_template="#/$defs/{model}")
        parts |= made.pop("$defs", {})
        own = {"seq": {"type": "integer", "minimum": 0}, "type": {"const": tag}}
        kinds[kind.__name__] = {
            "type": "object",
            "description": made.get("description", ""),
            "properties": own | made["properties"],
            "required": ["seq", "type", *made.get("required", [])],
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Events of a Maverick run",
        "description": _ABOUT,
        "x-schema": SCHEMA,
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "$defs": kinds | parts,
    }

"""The schema of events as it is stored in docs; `python -m tests.events.stored_schema` writes it.

Not if that would break readers: a change that those of today could not make sense of needs another `SCHEMA` in
events/kinds.py.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from maverick_tui.events.schema import event_schema

STORED = Path(__file__).parents[2] / "docs" / "events.schema.json"
_WORDS = ("description", "title", "default")


def breaks(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Why a reader of the old schema could not make sense of the new one; nothing if that says so by its number."""
    if new["x-schema"] > old["x-schema"]:
        return []
    found = [f"{name} is gone" for name in old["$defs"] if name not in new["$defs"]]
    for name, kind in old["$defs"].items():
        found += [f"{name}: {why}" for why in _changes(kind, new["$defs"].get(name, kind))]
    return found


def _changes(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    found = []
    if set(old.get("required", ())) != set(new.get("required", ())):
        found.append("other fields must be there")
    for name, field in old.get("properties", {}).items():
        now = new["properties"].get(name)
        if now is None:
            found.append(f"{name} is gone")
        elif _without_words(field) != _without_words(now):
            found.append(f"{name} is something else")
        elif not set(field.get("enum", ())) <= set(now.get("enum", ())):
            found.append(f"{name} has fewer values")
    return found


def _without_words(field: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in field.items() if name not in (*_WORDS, "enum")}


def main() -> None:
    """Write it."""
    new = event_schema()
    if STORED.exists() and (why := breaks(json.loads(STORED.read_text()), new)):
        sys.exit("Readers of these events would break: " + "; ".join(why) + ". Let SCHEMA grow, and read the old one.")
    STORED.write_text(json.dumps(new, indent=2) + "\n")


if __name__ == "__main__":
    main()

"""Arguments by the names that a tool has for them: the CLI understands a model that calls them otherwise."""

from __future__ import annotations

from typing import Any

_OTHERS = {
    "Edit": {"path": "file_path", "old_str": "old_string", "new_str": "new_string"},
    "Write": {"path": "file_path", "file_text": "content", "file_content": "content"},
}
"""What it reads for what (measured). Hooks and questions have the names that it goes by, and the call the model's."""


def by_its_names(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call as it runs; where both names are there it does not."""
    others = {other: name for other, name in _OTHERS.get(tool, {}).items() if name not in arguments}
    return {others.get(name, name): value for name, value in arguments.items()} if others else arguments

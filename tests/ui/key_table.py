"""Writes docs/keys.md from the bindings; run it as a program after a change of them."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.own_keys import all_bindings

TABLE = Path(__file__).resolve().parents[2] / "docs" / "keys.md"
_HEAD = """# Keys

Every key can be changed: in `config.toml`, below `[keys]`, a line with the name and the key, or several with commas:

```toml
[keys]
"run.verbosity" = "alt+v"
```

The keys are named as Textual names them (`ctrl+x`, `shift+tab`, `f5`, `pageup`). A name or a key that does not exist,
a key that something else has in the same place, or a character or Enter for what answers a question is reported when
the application starts. This table is made by `python -m tests.ui.key_table`.

| name | key | does |
|---|---|---|
"""


def table() -> str:
    """The page."""
    rows = {binding.id: binding for binding in all_bindings(MaverickApp) if binding.id}
    lines = [f"| `{name}` | {_keys(rows[name].key)} | {rows[name].description} |" for name in sorted(rows)]
    return _HEAD + "\n".join(lines) + "\n"


def _keys(keys: str) -> str:
    return " ".join(f"`{key}`" for key in keys.split(","))


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")

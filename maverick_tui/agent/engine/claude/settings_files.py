"""Which files of Claude Code's own settings it goes by, where the person lets it: it runs their hooks unasked."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from maverick_tui import paths


def settings_files(sources: Collection[str], cwd: Path | str | None) -> list[Path]:
    """Those of these sources for a session in this folder, be they there or not."""
    folders = [folder / ".claude" for folder in paths.project_folders(Path(cwd or Path.cwd()), of_anybody=True)]
    found = [paths.claude_config() / "settings.json"] if "user" in sources else []
    found += [folder / "settings.json" for folder in folders] if "project" in sources else []
    return [*found, *(folder / "settings.local.json" for folder in folders if "local" in sources)]

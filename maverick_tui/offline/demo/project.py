"""Makes the demo's repository: real files, real git, two commits, one bug that a test shows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from maverick_tui.config import MaverickConfig
from maverick_tui.git import asking, making

SOURCE = Path(__file__).resolve().parent / "project"
BRANCH = "coupons"
TIMEOUT = 60.0

_COMMITS = {"main": "2025-01-06T09:00:00+00:00", BRANCH: "2025-01-07T16:30:00+00:00"}
_WHY = "Several may be used at once, each up to and including its last day."


def make_project(folder: Path) -> Path:
    """Make the repository in a new folder, with the branch checked out; the user's git settings are left out of it."""
    folder = folder.resolve()
    _copy("main", folder)
    making.init(folder, "main")
    _commit(folder, "Add the cart, its discount and its receipt", _COMMITS["main"])
    making.branch_off(folder, BRANCH)
    _copy("branch", folder)
    _commit(folder, f"Add coupons\n\n{_WHY}", _COMMITS[BRANCH])
    return folder


def changed_files(project: Path) -> list[str]:
    """What is not committed, as `git status --short` puts it."""
    told = asking.ask(project, "status", "--porcelain", "--untracked-files=all")
    return (told or b"").decode(errors="replace").splitlines()


def demo_config(env: Mapping[str, str] | None = None) -> MaverickConfig:
    """Settings of a demo's run: what the user has set for real ones must not change what the script expects."""
    return MaverickConfig.load(
        model=None,
        permission_mode=None,
        max_budget_usd=None,
        api_retries=0,
        setting_sources=(),
        timeout=TIMEOUT,
        env=env or {},
    )


def git_environment() -> dict[str, str]:
    """What keeps git away from the settings of the user and of the machine."""
    return {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}


def _copy(part: str, folder: Path) -> None:
    """Copy contents alone: an installed package may be read-only, its copy must not be."""
    for source in (SOURCE / part).rglob("*"):
        if source.is_file() and "__pycache__" not in source.parts:
            target = folder / source.relative_to(SOURCE / part)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())


def _commit(folder: Path, message: str, date: str) -> None:
    making.commit_all(folder, message, name="Shop Team", email="shop@example.com", date=date)

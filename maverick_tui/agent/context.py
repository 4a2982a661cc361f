"""AgentContext: where an agent works, on which branch and with which settings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.asking_run import settings_here
from maverick_tui.exceptions import ConfigError
from maverick_tui.git.head import head_of

if TYPE_CHECKING:
    from maverick_tui.config import MaverickConfig


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What an agent is told when it is executed; `extra` is for what only some agents need."""

    cwd: Path
    branch: str
    config: MaverickConfig
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a working directory that is not there, and an empty branch."""
        if not Path(self.cwd).is_dir():
            raise ConfigError(
                f"The working directory {str(self.cwd)!r} is not an existing folder.",
                path=str(self.cwd),
                hint="Create it, or start in another folder.",
            )
        if not isinstance(self.branch, str) or not self.branch.strip():
            raise ConfigError(
                f"AgentContext.branch is {self.branch!r} for {str(self.cwd)!r}.",
                hint="Give the branch's name, or use AgentContext.from_cwd, which asks git.",
            )

    @classmethod
    def from_cwd(
        cls, cwd: Path | str, config: MaverickConfig | None = None, extra: Mapping[str, Any] | None = None
    ) -> AgentContext:
        """Find the branch through git. It blocks: on an event loop use `from_cwd_async`."""
        if config is None:
            config = settings_here()
        folder = Path(cwd).expanduser().absolute()
        if not folder.is_dir():
            raise ConfigError(f"The working directory {str(folder)!r} is not an existing folder.", path=str(folder))
        return cls(cwd=folder, branch=current_branch(folder), config=config, extra=dict(extra or {}))

    @classmethod
    async def from_cwd_async(
        cls, cwd: Path | str, config: MaverickConfig | None = None, extra: Mapping[str, Any] | None = None
    ) -> AgentContext:
        """`from_cwd` in a thread, so that reading the repository does not hold up the event loop."""
        return await asyncio.to_thread(cls.from_cwd, cwd, config, extra)


def current_branch(folder: Path) -> str:
    """The checked-out branch's name, also of a branch without commits; the short SHA of a detached HEAD."""
    branch = head_of(folder)
    if branch is None:
        raise ConfigError(
            f"{str(folder)!r} is not in a git repository that can be read.",
            path=str(folder),
            hint="Run `git init` there, or start in a repository.",
        )
    return branch

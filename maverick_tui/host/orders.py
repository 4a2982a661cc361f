"""Order: what a host is to run, as it travels from whoever asks for it to the process that does it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from maverick_tui.exceptions import ConfigError
from maverick_tui.runs.holding import RunLimits


@dataclass(frozen=True, slots=True)
class Order:
    """A run of an agent in a folder, with what it is asked first."""

    run_id: str
    agent: str
    cwd: str
    prompt: str | None = None
    """Sent at once; None to wait for what a reader sends, an empty one for what the agent's author wrote."""
    inputs: dict[str, Any] = field(default_factory=dict)
    allowed: tuple[str, ...] = ()
    """What it may do besides, as rules."""
    max_turns: int | None = None
    max_cost_usd: float | None = None
    max_seconds: float | None = None
    is_kept: bool = True
    waits_for_limit: bool | None = None
    """Whether it goes on by itself after a limit; None for what the settings say."""
    script: str | None = None
    """The script of a model of our own, which answers instead of a real one."""
    shared: str = ""
    """The folder that runs of one script share: it stays as long as any of them."""
    is_demo: bool = False
    resumes: bool = False
    """Whether it goes on with the kept run of that id."""
    forks: str = ""
    """The id of the run whose conversation it begins with, up to the end of a turn."""
    fork_turn: int = 0
    fork_at: float = 0.0
    fuse: dict[str, float] = field(default_factory=dict)
    """What it may use before it holds and asks, if not what its agent and the settings say."""
    takes: str = ""
    """The model that is to answer, if not the agent's own."""
    is_attended: bool = True
    """Whether somebody may be asked; if not, the run and its process end once nothing is left to do."""
    tags: tuple[str, ...] = ()
    """What it is found by in the history."""
    worktree: bool = False
    """Whether it works in a worktree of its own, of the repository around `cwd`."""
    brings_changes: bool = False
    """Whether what is not committed comes along there."""
    race: str = ""
    """The race that it runs in, and ends with."""

    @property
    def limits(self) -> RunLimits:
        """What the whole run may take."""
        return RunLimits(self.max_turns, self.max_cost_usd, self.max_seconds)

    @property
    def is_limited(self) -> bool:
        """Whether it may do or take anything else than its agent."""
        return bool(self.allowed or self.limits.named)

    def to_json(self) -> dict[str, Any]:
        """The order as a JSON object."""
        return asdict(self)


def order_from_json(data: dict[str, Any]) -> Order:
    """The order that a JSON object stands for."""
    known = {one.name for one in fields(Order)}
    try:
        given: dict[str, Any] = {name: value for name, value in data.items() if name in known}
        lists = {name: tuple(given.get(name, ())) for name in ("allowed", "tags")}
        return Order(**{**given, **lists})
    except TypeError as error:
        raise ConfigError(f"That is no order for a host: {error}.") from error

"""What a trick is: a command that must not run unasked, however it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Effect = Literal["change", "leak", "none"]


@dataclass(frozen=True, slots=True)
class Trick:
    """One command, with places that a sandbox fills in.

    `{P}` is a name that only this trick would make, in the project; `{V}` a file of the project that is there for it to
    destroy; `{T}` a place in /tmp, `{H}` the home, `{O}` a folder outside of both, `{PORT}` somebody who listens.
    """

    id: str
    command: str
    effect: Effect = "change"
    """What it would do: change something, tell a secret, or nothing at all (then it may run, or ask)."""
    unarmed: str = ""
    """Why it does nothing here although it would elsewhere; nobody can say from its words where it is."""
    shell: str = "bash"
    """The shell that it is meant for."""
    needs: tuple[str, ...] = ()
    """Programs without which it cannot be tried for real; it must be asked about all the same."""
    is_listed: bool = False
    """Whether the rules of `test_shell_unattended` plainly allow it."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Other arguments of the call."""

    @property
    def family(self) -> str:
        """What it is filed under."""
        return self.id.partition("-")[0]


def family(name: str, tricks: Mapping[str, str | dict[str, Any]]) -> tuple[Trick, ...]:
    """Tricks by name; one that is more than its command is written as `of(...)`."""
    return tuple(
        Trick(id=f"{name}-{key}", **({"command": trick} if isinstance(trick, str) else trick))
        for key, trick in tricks.items()
    )


def of(command: str, **more: Any) -> dict[str, Any]:
    """A trick with other fields than its command."""
    return {"command": command, **more}


def leak(command: str, **more: Any) -> dict[str, Any]:
    """A trick that changes nothing, and tells a secret."""
    return of(command, effect="leak", **more)


def nothing(command: str, **more: Any) -> dict[str, Any]:
    """Something that looks like a trick and is none."""
    return of(command, effect="none", **more)

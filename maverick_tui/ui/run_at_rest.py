"""RunAtRest: the way to a run that nobody serves, and what is said where one would type to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from maverick_tui.runs.board import Rest

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.commands import Command
    from maverick_tui.runs.store import RunStore
    from maverick_tui.ui.kept_runs import KeptRuns

GOES_ON = "Go on with this run: what you send reopens it"
_ELSEWHERE = "At work in another process: it can go on here once that has ended"
_SCRIPTED = "A script played this run: it can be read, but not continued"
_DAMAGED = "Its journal is damaged: it can be read, but not continued"
_NEVER_LOADED = "It ended before its agent was loaded: it can be read, but not continued"


class RunAtRest:
    """What is sent makes the run go on, if it can; what it can do only then waits for that."""

    def __init__(self, run: RunModel, kept: KeptRuns) -> None:
        self._run = run
        self._kept = kept
        self.wanted: list[Command] = []
        """What counts once it goes on, and does not make it."""

    def remember(self, wanted: Sequence[Command]) -> None:
        """Let of this count what does not make it go on. A prompt with other words is the person's to send again."""
        from maverick_tui.runs.commands import DropPrompt, EditPrompt, SetModel

        for command in wanted:
            if isinstance(command, EditPrompt):
                self.wanted.append(DropPrompt(command.prompt_id))
            elif isinstance(command, DropPrompt | SetModel):
                self.wanted.append(command)

    def send(self, command: Command) -> None:
        """Have it go on with a prompt; what only a run can do that is served is refused until then."""
        from maverick_tui.runs.commands import (
            DropPrompt,
            NameRun,
            PlanContinue,
            Reconnect,
            ReleasePrompts,
            SendPrompt,
            SetModel,
            SteerPrompt,
        )

        may_go_on = self._run.rest is not None and self._run.rest.may_go_on
        if isinstance(command, NameRun):
            self._kept.name(self._run, command.name)
        elif isinstance(command, DropPrompt):
            self.remember([command])
            self._kept.drop_queued(self._run, command.prompt_id)
        elif isinstance(command, SetModel) and may_go_on:
            self.remember([command])
            self._kept.choose_model(self._run, command.model)
        elif isinstance(command, SendPrompt | SteerPrompt | Reconnect | PlanContinue | ReleasePrompts) and may_go_on:
            self._kept.go_on(self._run, [*self.wanted, command])
        else:
            self._kept.refuse(self._run, command)


def rest_of(store: RunStore, *, is_damaged: bool = False) -> Rest:
    """What is said of a run that is only read, by how it stands."""
    if store.looked_at is not None:  # whether it may go on by now is only known when somebody wants it to
        return Rest(_ELSEWHERE)
    if is_damaged:
        return Rest(_DAMAGED, may_go_on=False)
    if store.loaded is None:
        return Rest(_NEVER_LOADED, may_go_on=False)
    return Rest(_SCRIPTED, may_go_on=False) if store.loaded.is_offline else Rest(GOES_ON)

"""Desk: where the questions of a run wait for a person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.events.kinds import Decision, Event, PermissionAsked, PermissionSettled
from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.runs.grants import Grant, Grants

if TYPE_CHECKING:
    from claude_agent_sdk import PermissionResult, ToolPermissionContext

REFUSED = "The user does not want this call."
WITHDRAWN = "The user has interrupted the work."


@dataclass(slots=True)
class _Question:
    call: str
    grants: list[Grant]
    answer: asyncio.Future[AnswerPermission | None]
    """None if the question was withdrawn."""


class Desk:
    """Asks, waits, and remembers what was allowed for the run; several questions may be open at once."""

    def __init__(
        self,
        cwd: Path,
        *,
        emit: Callable[[Event], None],
        clock: Callable[[], float],
        name_of: Callable[[str | None], str],
    ) -> None:
        """Events go to `emit`; `name_of` says who a subagent is, or the agent itself for None."""
        self._grants = Grants(cwd)
        self._emit = emit
        self._clock = clock
        self._name_of = name_of
        self._open: dict[str, _Question] = {}
        self._asked = 0

    @property
    def is_waiting(self) -> bool:
        """Whether a question is open."""
        return bool(self._open)

    async def ask(self, tool: str, arguments: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
        """What the CLI is answered; a question that is cancelled is withdrawn."""
        from maverick_tui.agent.engine.claude.decisions import allow

        self._asked += 1
        request, call = f"question-{self._asked}", context.tool_use_id or ""
        if rule := self._grants.rule_for(tool, arguments):
            self._emit(PermissionSettled(self._clock(), request, call, "run", by_rule=rule))
            return allow()
        question = _Question(call, self._grants.offers(tool, arguments), _future())
        self._open[request] = question
        self._emit(
            PermissionAsked(
                self._clock(),
                request,
                call,
                tool,
                arguments,
                agent=self._name_of(context.agent_id),
                reason=context.decision_reason or "",
                grants=tuple(grant.text for grant in question.grants),
            )
        )
        try:
            answer = await question.answer
        except asyncio.CancelledError:
            self._settle(request, "withdrawn")
            raise
        return self._result(arguments, answer)

    def answer(self, command: AnswerPermission) -> None:
        """Take a person's answer; one that comes too late is nobody's."""
        question = self._open.get(command.request)
        if question is None or question.answer.done():
            return
        decision = command.decision
        if decision == "run" and 0 <= command.grant < len(question.grants):
            self._grants.give(question.grants[command.grant])
        elif decision == "run":
            decision = "once"
        self._settle(command.request, decision, command.reason)
        question.answer.set_result(command)

    def withdraw(self) -> None:
        """Close every question: nobody waits for an answer any more."""
        for request, question in list(self._open.items()):
            self._settle(request, "withdrawn")
            if not question.answer.done():
                question.answer.set_result(None)

    def _settle(self, request: str, decision: Decision, reason: str = "") -> None:
        question = self._open.pop(request, None)
        if question is not None:
            self._emit(PermissionSettled(self._clock(), request, question.call, decision, reason))

    def _result(self, arguments: dict[str, Any], answer: AnswerPermission | None) -> PermissionResult:
        from maverick_tui.agent.engine.claude.decisions import allow, deny

        if answer is None:
            return deny(WITHDRAWN, interrupt=True)
        if answer.decision == "deny":
            return deny(f"{REFUSED} The user says: {answer.reason}" if answer.reason.strip() else REFUSED)
        return allow({**arguments, "answers": answer.answers} if answer.answers is not None else None)


def _future() -> asyncio.Future[AnswerPermission | None]:
    return asyncio.get_running_loop().create_future()

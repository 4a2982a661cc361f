"""Questions: where the calls of a run wait for a person."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from pathlib import Path

from maverick_tui.agent.engines import Permission, ToolQuestion
from maverick_tui.events.kinds import Decision, PermissionAsked, PermissionSettled
from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.runs.grants import Grant, Grants
from maverick_tui.runs.log import EventLog

ALLOWING = ("once", "run")
"""The decisions that let a call run; whatever else a reader of another version may say does not."""
REFUSED = "The user does not want this call."
WITHDRAWN = "The user has interrupted the work."


@dataclass(slots=True)
class _Question:
    call: str
    grants: list[Grant]
    answer: asyncio.Future[AnswerPermission | None]
    """None if the question was withdrawn."""


class Questions:
    """Asks, waits, and remembers what was allowed for the run; several questions may be open at once."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._grants = Grants(Path())
        self._agent = ""
        self._open: dict[str, _Question] = {}

    def work_in(self, cwd: Path, agent: str) -> None:
        """The run's folder and its agent are known; what was allowed elsewhere is not allowed here."""
        self._grants, self._agent = Grants(cwd), agent

    @property
    def is_waiting(self) -> bool:
        """Whether a question is open."""
        return bool(self._open)

    async def ask(self, about: ToolQuestion) -> Permission:
        """What is to become of a call; a question that is cancelled is withdrawn."""
        request = uuid.uuid4().hex  # an answer to a question of an earlier process of this run is for no other
        grants = None if about.is_asked_each_time else self._grants
        if grants and (rule := grants.rule_for(about.tool, about.arguments)):
            self._log.emit(PermissionSettled(self._log.now(), request, about.call, "run", by_rule=rule))
            return Permission(True)
        offers = grants.offers(about.tool, about.arguments) if grants else []
        question = _Question(about.call, offers, asyncio.get_running_loop().create_future())
        self._open[request] = question
        self._log.emit(
            PermissionAsked(
                self._log.now(),
                request,
                about.call,
                about.tool,
                about.arguments,
                agent=about.subagent or self._agent,
                reason=about.reason,
                grants=tuple(grant.text for grant in question.grants),
            )
        )
        try:
            answer = await question.answer
        except asyncio.CancelledError:
            self._settle(request, "withdrawn")
            raise
        return _permission(about, answer)

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
        elif decision not in ALLOWING:
            decision = "deny"
        self._settle(command.request, decision, command.reason, command.by)
        question.answer.set_result(command)

    def withdraw(self) -> None:
        """Close every question: nobody waits for an answer any more."""
        for request, question in list(self._open.items()):
            self._settle(request, "withdrawn")
            if not question.answer.done():
                question.answer.set_result(None)

    def _settle(self, request: str, decision: Decision, reason: str = "", by: str = "") -> None:
        question = self._open.pop(request, None)
        if question is not None:
            self._log.emit(PermissionSettled(self._log.now(), request, question.call, decision, reason, by=by))


def _permission(about: ToolQuestion, answer: AnswerPermission | None) -> Permission:
    if answer is None:
        return Permission(False, WITHDRAWN, ends_turn=True)
    if answer.decision not in ALLOWING:
        return Permission(False, f"{REFUSED} The user says: {answer.reason}" if answer.reason.strip() else REFUSED)
    return Permission(
        True, arguments={**about.arguments, "answers": answer.answers} if answer.answers is not None else None
    )

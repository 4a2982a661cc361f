"""Questions: where the calls of a run wait for a person."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from maverick_tui.agent.engines import Permission, ToolQuestion
from maverick_tui.agent.permissions.rule_files import add_rule, has_secret
from maverick_tui.agent.permissions.standing import user_file
from maverick_tui.events.kinds import Decision, Noticed, PermissionAsked, PermissionSettled
from maverick_tui.exceptions import ConfigError
from maverick_tui.modes import MEANINGS
from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.runs.grants import Grant, Grants, Weighed
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.own_questions import ASKS_PERSON, LEAVES_PLANNING, is_own
from maverick_tui.threads import in_thread

LOOK_EVERY = 1.0
"""Seconds between looks whether somebody has changed the rules while a question is open."""
ALLOWING = ("once", "run")
"""The decisions that let a call run; whatever else a reader of another version may say does not."""
REFUSED = "The user does not want this call."
WITHDRAWN = "The user has interrupted the work."


@dataclass(slots=True)
class _Question:
    about: ToolQuestion
    grants: list[Grant]
    answer: asyncio.Future[AnswerPermission | Permission | None]
    """None if the question was withdrawn."""
    is_put: bool = False
    """Whether somebody was told of it, and is to hear what became of it."""
    is_unasked: bool = False
    """Whether it was answered by what was allowed before."""

    @property
    def call(self) -> str:
        """The call that waits."""
        return self.about.call


class Questions:
    """Asks, waits, and remembers what was allowed for the run; several questions may be open at once."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._grants = Grants(Path())
        self._agent = ""
        self._open: dict[str, _Question] = {}
        self.is_planning: Callable[[], bool] = lambda: False
        """Whether nothing but reading runs unasked now, whatever was allowed."""
        self.mode_after_plan: Callable[[], str] = lambda: ""
        self._news = asyncio.Event()
        """Set when the rules may have changed, or nothing is open any more."""
        self._looking: asyncio.Task[None] | None = None
        self._granting: set[asyncio.Task[None]] = set()
        self._in_order = asyncio.Lock()
        """Held while a question is weighed, so that those come first that were asked first."""

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
        question = _Question(about, [], asyncio.get_running_loop().create_future())
        self._open[request] = question
        try:
            async with self._in_order:
                weighed = await in_thread(self._grants.weighed, about)
                if weighed.rule and self.is_planning():  # since it was judged: what was allowed does not count now
                    weighed = await in_thread(self._grants.weighed, replace(about, is_asked_each_time=True))
                if not question.answer.done():
                    self._put(request, question, weighed)
            answer = await question.answer
        finally:
            self._settle(request, "withdrawn")  # unless it is settled
        if isinstance(answer, Permission):
            return answer
        if answer is not None and answer.rule and answer.decision in ALLOWING:
            await self._write_rule(answer.rule, (about.ruled_as or self._agent) if answer.is_for_agent else "")
        permission = replace(_permission(about, answer), is_unasked=question.is_unasked)
        if about.tool == LEAVES_PLANNING and permission.is_granted:
            return replace(permission, mode=self.mode_after_plan())
        return permission

    def _put(self, request: str, question: _Question, weighed: Weighed) -> None:
        """Put it to whoever reads, or answer it by what was allowed for the run."""
        about = question.about
        if weighed.rule:
            self._grant(request, weighed.rule)
            return
        question.grants, question.is_put = weighed.offers, True
        is_for_none = about.causes or about.is_of_other  # a rule would be written for the run's agent
        rules = () if is_for_none else tuple(dict.fromkeys(grant.rule for grant in weighed.offers if grant.rule))
        if any(map(has_secret, rules)):  # and all of the tool is not the next best
            rules = tuple(rule for rule in rules if "(" in rule and not has_secret(rule))
        if about.look_again is not None and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look_again(), name="maverick-rules")
        self._log.emit(
            PermissionAsked(
                self._log.now(),
                request,
                about.call,
                about.tool,
                about.arguments,
                agent=about.subagent or self._agent,
                reason=self._then(about) or about.reason,
                grants=tuple(grant.text for grant in question.grants),
                rules=rules,
                rules_file=str(user_file()) if rules else "",
                rules_agent=about.ruled_as if rules else "",
                marks=tuple(mark.to_json() for mark in weighed.marks),
                replaces=weighed.replaced.words,
                patch=weighed.replaced.patch,
            )
        )

    def _then(self, about: ToolQuestion) -> str:
        """What follows when a plan is agreed to."""
        if about.tool != LEAVES_PLANNING or not (mode := self.mode_after_plan()):
            return ""
        return f"It is carried out in mode {mode}: {MEANINGS[mode]}."

    async def _write_rule(self, rule: str, agent: str) -> None:
        """What a person allows for good is written where they can read and change it; the judge reads it there."""
        whom = agent or "every agent"
        try:
            await in_thread(add_rule, user_file(), "allow", rule, agent)
            told = f"{rule} is allowed to {whom} from now on, by {user_file()}."
            self._news.set()
        except ConfigError as error:
            told = f"The rule {rule} was not written. {error.message}"
        self._log.emit(Noticed(self._log.now(), "rule", told))

    async def _look_again(self) -> None:
        """While questions are open: let rules answer those that they decide by now, whoever has written them."""
        while self._open:
            with suppress(asyncio.TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):
                    await self._news.wait()
            self._news.clear()
            for request, question in list(self._open.items()):
                judgement = await question.about.look_again() if question.about.look_again is not None else None
                if judgement is not None and judgement.rule is not None and request in self._open:
                    self._decide(request, judgement.decision, judgement.rule.text)

    def _decide(self, request: str, decision: str, rule: str) -> None:
        """A standing rule answers a question, unless it is one that only a person can."""
        question = self._open[request]
        if question.answer.done() or question.about.tool in ASKS_PERSON:
            return
        if decision == "deny":
            reason = f"There is a rule against it: {rule}."
            self._settle(request, "deny", reason, by_rule=rule)
            question.answer.set_result(Permission(False, reason))  # nobody has said so
        elif decision == "allow" and not self.is_planning():
            self._settle(request, "once", by_rule=rule)
            question.is_unasked = True
            question.answer.set_result(AnswerPermission(request, "once"))

    async def _grant_others(self) -> None:
        """What was just allowed for the run answers what else waits for that."""
        for request, question in list(self._open.items()):
            about = question.about
            if about.is_asked_each_time or not self._may_be_granted(request):
                continue
            rule = await in_thread(self._grants.rule_for, about.tool, about.arguments, about.causes)
            if rule and self._may_be_granted(request):
                self._grant(request, rule)

    def _may_be_granted(self, request: str) -> bool:
        return request in self._open and not self._open[request].answer.done() and not self.is_planning()

    def _grant(self, request: str, rule: str) -> None:
        question = self._open[request]
        self._settle(request, "run", by_rule=rule)
        question.is_unasked = True
        question.answer.set_result(AnswerPermission(request, "once"))

    def answer(self, command: AnswerPermission) -> None:
        """Take a person's answer; one that comes too late is nobody's."""
        question = self._open.get(command.request)
        if question is None or question.answer.done():
            return
        decision = command.decision
        if decision == "run" and 0 <= command.grant < len(question.grants):
            self._grants.give(question.grants[command.grant], question.about.causes)
        elif decision == "run":
            decision = "once"
        elif decision not in ALLOWING:
            decision = "deny"
        arguments = command.arguments if decision in ALLOWING else None
        said = ", ".join((command.answers or {}).values()) if is_own(question.call) else ""
        self._settle(command.request, decision, command.reason or said, command.by, arguments)
        question.answer.set_result(command)
        if decision == "run":
            granting = asyncio.create_task(self._grant_others(), name="maverick-grants")
            self._granting.add(granting)
            granting.add_done_callback(self._granting.discard)

    def refuse(self, call: str, reason: str) -> bool:
        """Deny a call that is asked about; whether it is."""
        asked = [request for request, question in self._open.items() if question.call == call]
        for request in asked:
            self.answer(AnswerPermission(request, "deny", reason))
        return bool(asked)

    def withdraw(self) -> None:
        """Close every question: nobody waits for an answer any more."""
        for request, question in list(self._open.items()):
            self._settle(request, "withdrawn")
            if not question.answer.done():
                question.answer.set_result(None)

    def _settle(
        self,
        request: str,
        decision: Decision,
        reason: str = "",
        by: str = "",
        arguments: dict[str, Any] | None = None,
        by_rule: str = "",
    ) -> None:
        question = self._open.pop(request, None)
        if question is not None and (question.is_put or by_rule):
            now, call = self._log.now(), question.call
            self._log.emit(PermissionSettled(now, request, call, decision, reason, by_rule, by, arguments))
        if not self._open:
            self._news.set()


def _permission(about: ToolQuestion, answer: AnswerPermission | None) -> Permission:
    if answer is None:
        return Permission(False, WITHDRAWN, ends_turn=True)
    if answer.decision not in ALLOWING:
        return Permission(False, f"{REFUSED} The user says: {answer.reason}" if answer.reason.strip() else REFUSED)
    if answer.answers is not None:
        return Permission(True, arguments={**about.arguments, "answers": answer.answers})
    return Permission(True, arguments=answer.arguments)

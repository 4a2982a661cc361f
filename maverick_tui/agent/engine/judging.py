"""How a call of a tool goes by the judge before it runs, whichever engine makes it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.asking_run import asking_run, widest_mode
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.agent.engines import Listener, Permission, ToolQuestion, begins_of, hold_of
from maverick_tui.agent.permissions.judge import ASKS, Judge, Judgement
from maverick_tui.agent.permissions.own_commands import own_commands
from maverick_tui.agent.permissions.standing import RuleBook, Standing
from maverick_tui.agent.permissions.started import commands_of
from maverick_tui.events.kinds import Event, PermissionAsked, PermissionSettled, ToolBegan
from maverick_tui.git.programs import programs_named, started_by_settings
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig

log = logging.getLogger(__name__)

NOBODY = "There is nobody to ask."


def judge_of(
    agent: MaverickAgent,
    cwd: Path | str | None,
    *,
    person: bool,
    settings: MaverickConfig | None = None,
    settings_files: Collection[Path] = (),
    takes_memory: bool = False,
) -> Judge:
    """Who decides about the calls of an agent that works in this folder; `person` says that somebody can be asked.

    `settings` are those of the session, where they may be others than the person's, and `settings_files` those by which
    the engine's own program goes: hooks and helpers that they name run unasked, as those of the agent. `takes_memory`
    says that it takes in what a `CLAUDE.md` says and names.
    """
    return Judge(
        agent._tools_by(person=person),
        Path(cwd or Path.cwd()),
        person=person,
        git_programs=programs_named,
        git_starts=started_by_settings,
        started=commands_of(agent.hooks, agent.mcp_servers),
        settings_files=settings_files,
        takes_memory=takes_memory,
        own_commands=lambda: own_commands(settings),
        environment=settings.env if settings is not None else None,
        standing=standing_for(agent.name, cwd),
        widest_mode=widest_mode(person=person),
    )


def rules_for(agent: str, cwd: Path | str | None) -> RuleBook:
    """The standing rules for an agent that works in this folder, as they are at every moment."""
    return RuleBook(Path(cwd or Path.cwd()), agent, TrustStore().is_trusted)


def standing_for(agent: str, cwd: Path | str | None) -> Callable[[], Standing]:
    """The same, and whatever rules forbid the agent whose own code has this one asked, here or where its run works."""
    own, run = rules_for(agent, cwd), asking_run()
    folders = {Path(cwd or Path.cwd()), run.cwd} if run is not None else ()
    callers = [(rules_for(run.agent, folder), folder) for folder in folders] if run is not None else []
    return lambda: own().held_with([rules().beginning_at(folder) for rules, folder in callers])


async def permit(
    judge: Judge,
    question: ToolQuestion,
    listener: Listener,
    *,
    mode: str | None = None,
    judged_as: str = "",
    why_not_unasked: Callable[[], str] = lambda: "",
) -> Permission:
    """Whether the call of a question may run: the judge decides, and the person where that asks.

    That it runs unasked is told; where it may write, the listener's `begins` is waited for. `judged_as` is what the
    judge knows the tool as, where that is not its name; `why_not_unasked` is asked at last where no person was, about
    this very call.
    """
    if (hold := hold_of(listener)) is not None and (why := await hold("")):
        return Permission(False, why, ends_turn=True)
    mode = judge.mode_for(mode)
    judgement = await judged(judge, judged_as or question.tool, question.arguments, mode=mode)
    known_as = judged_as or question.tool
    if judgement.decision == "allow":
        if why := await _begin(judge, question, listener, known_as, judgement, mode=mode) or why_not_unasked():
            return Permission(False, why)
        listener.tell(ToolBegan(listener.now(), question.call))
        return Permission(True)
    if judgement.lacks_person:
        for event in unanswered(question, judgement.reason, listener.now()):
            listener.tell(event)
    if judgement.decision == "deny" or listener.ask is None:
        return Permission(False, judgement.reason)
    each_time = judgement.is_asked_each_time
    permission = await listener.ask(
        replace(
            question,
            reason=judgement.reason,
            is_asked_each_time=each_time,
            known_as=known_as,
            causes=judgement.causes,
            look_again=Rejudging(judge, known_as, question.arguments, mode=mode),
        )
    )
    if permission.is_granted:
        if permission.arguments is not None:
            asked, question = question.arguments, replace(question, arguments=permission.arguments)
            judgement = await judged_as_changed(judge, known_as, asked, judgement, question.arguments, mode=mode)
        why = await _begin(judge, question, listener, known_as, judgement, mode=mode)
        if why := why or (why_not_unasked() if permission.is_unasked else ""):
            return Permission(False, why)
    return permission


async def _begin(
    judge: Judge, question: ToolQuestion, listener: Listener, known_as: str, before: Judgement, *, mode: str | None
) -> str:
    """Wait until a granted call may run; why it must not by then, if the judge says otherwise."""
    arguments = question.arguments
    if (begins := begins_of(listener)) is not None and await may_write(judge, known_as, arguments):
        await begins(question.call, question.tool, arguments)
    elif before.decision == "allow":  # and nobody was waited for
        return ""
    return why_no_more(before, await judged(judge, known_as, arguments, mode=mode))


def why_no_more(before: Judgement, now: Judgement, *, is_unasked: bool = False) -> str:
    """Why a call that has waited must not run any more, though it was granted; empty if it may.

    What it names may lead elsewhere by now, and there may be other rules: a person has allowed no more than what there
    was to be told when the call was judged. What was allowed for more calls than this one (`is_unasked`) does not
    count where each of them is asked about.
    """
    if before.decision == "deny":
        return before.reason
    known = {*before.grounds}
    new = [ground for ground in now.grounds if ground not in known]
    if before.decision == "allow":
        is_fine = now.decision == "allow"
    else:
        is_fine = now.decision != "deny" and not new and now.causes <= before.causes
        is_fine = is_fine and not (is_unasked and now.is_asked_each_time)
    why = new[0] if new else now.reason or ASKS
    return "" if is_fine else f"{why} That was not so when the call was granted: look again."


async def may_write(judge: Judge, tool: str, arguments: Mapping[str, Any], here: str | None = None) -> bool:
    """Whether a call may change files, as the judge says, in a thread. What cannot be judged may."""
    try:
        return await in_thread(judge.may_write, tool, arguments, here)
    except Exception:
        log.exception("It could not be judged whether a call of %s may write", tool)
        return True


async def judged_as_changed(
    judge: Judge,
    tool: str,
    asked: Mapping[str, Any],
    before: Judgement,
    changed: Mapping[str, Any],
    *,
    mode: str | None = None,
    here: str | None = None,
) -> Judgement:
    """What a person knows of a call that they have changed: what is said of it now, but for all that has come since
    they were asked about it as it was.
    """
    since = await judged(judge, tool, asked, mode=mode, here=here)
    if since.decision == "deny":
        return since
    now = await judged(judge, tool, changed, mode=mode, here=here)
    new = {*since.grounds}.difference(before.grounds)
    grounds = tuple(ground for ground in now.grounds if ground not in new)
    return now._replace(grounds=grounds, causes=now.causes - (since.causes - before.causes))


def unanswered(question: ToolQuestion, reason: str, at: float) -> list[Event]:
    """What is told of a call that a person might have allowed, had there been one."""
    request = f"unanswered-{question.call}"
    return [
        PermissionAsked(at, request, question.call, question.tool, question.arguments, question.subagent, reason),
        PermissionSettled(at, request, question.call, "deny", NOBODY),
    ]


class Rejudging:
    """Judges a call that waits for a person once more, whenever the standing rules have changed."""

    def __init__(
        self, judge: Judge, tool: str, arguments: Mapping[str, Any], *, mode: str | None = None, here: str | None = None
    ) -> None:
        self._judge = judge
        self._call = tool, arguments
        self._mode, self._here = mode, here
        self._standing: Standing | None = None

    async def __call__(self) -> Judgement | None:
        """What the judge says now; None if no rule is another than the last time. It says so once without a last time:
        a rule may have come since the call was judged.
        """
        return await in_thread(self._look)

    def _look(self) -> Judgement | None:
        try:
            before, self._standing = self._standing, self._judge.standing
            is_same = before is not None and before == self._standing
            return None if is_same else self._judge.judge(*self._call, mode=self._mode, here=self._here)
        except Exception:  # the person answers it, as was asked
            log.exception("A call of %s could not be judged again", self._call[0])
            return None


async def judged(
    judge: Judge, tool: str, arguments: Mapping[str, Any], *, mode: str | None = None, here: str | None = None
) -> Judgement:
    """What the judge says, in a thread: paths are followed, and git may be asked. What cannot be judged is refused."""
    try:
        return await in_thread(judge.judge, tool, arguments, mode=mode, here=here)
    except RecursionError:
        return Judgement("deny", "It is nested too deeply to be judged.")
    except Exception:
        log.exception("A call of %s could not be judged", tool)
        return Judgement("deny", "It could not be judged whether this may run.")

"""Guard: stands before every tool call of the CLI, and lets the judge decide it.

The CLI approves more than `allowed_tools` says: worktrees, scheduled jobs and skills always, in mode acceptEdits every
`rm` and `>` inside the project, and what it takes for reading. So nothing is left to it: each call gets an answer here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from claude_agent_sdk import HookMatcher, PermissionResult, PermissionResultAllow, PermissionResultDeny

from maverick_tui.agent.engine.claude.edits import why_not_as_shown
from maverick_tui.agent.engine.claude.rereading import Rereading
from maverick_tui.agent.engine.judging import Rejudging, judged, judged_as_changed, may_write, why_no_more
from maverick_tui.agent.engines import Begins, Hold, ToolQuestion
from maverick_tui.agent.permissions.judge import Judge, Judgement
from maverick_tui.agent.permissions.skills_begun import is_replaced, skill_begun_by
from maverick_tui.agent.tools import ToolRule
from maverick_tui.modes import PERMISSION_MODES, narrower
from maverick_tui.threads import in_thread

HOOK_SECONDS = 1_000_000.0
"""How long the CLI waits for our hook, in which a run may be held. Else it gives up after 600 s, refuses the call
and asks the model again (measured). Much more would not fit into a timer of its runtime, which counts in 31 bits."""


VERDICT = "StructuredOutput"
"""The CLI's own tool, by which the model that a hook of type `agent` asks says what it has found. It does nothing else,
and no agent can have it: refused, such a hook would have no verdict, and the CLI would let pass what it guards."""


class _Judged(NamedTuple):
    """What was said of a call, in which mode, and where its relative paths begin."""

    arguments: Mapping[str, Any]
    judgement: Judgement
    mode: str = ""
    here: str | None = None
    choices: int = 0
    """How many modes that a person has chosen it was judged by."""


class Guard:
    """Asks the judge about the calls of one run or session.

    `on_allowed` is told the ids of those that run unasked, and `on_unanswered` those that lack a person, and why;
    `write` sends a line to the CLI, where that can be done; `resumed` is the session that this one goes on with; `hold`
    is waited for before each call, and `begins` before one that is granted and may write; `mode` is the one that the
    session begins in.
    """

    def __init__(
        self,
        judge: Judge,
        on_allowed: Callable[[str], None] = lambda _call: None,
        on_unanswered: Callable[[ToolQuestion], None] = lambda _question: None,
        write: Callable[[str], Awaitable[None]] | None = None,
        resumed: str | None = None,
        hold: Hold | None = None,
        begins: Begins | None = None,
        mode: str | None = None,
    ) -> None:
        self._judge = judge
        self._on_allowed = on_allowed
        self._on_unanswered = on_unanswered
        self._may_be_granted: set[str] = set()
        self._causes: dict[str, frozenset[str]] = {}
        self._asked: dict[str, Rejudging] = {}
        """Calls that the CLI is about to ask a person about."""
        self._judged: dict[str, _Judged] = {}
        """What was said of calls that have not begun."""
        self._granted_before: set[str] = set()
        """Calls of which nobody was asked, though they were to be: something that was allowed before covers them."""
        self._rereading = Rereading(judge, write, resumed)
        self._hold = hold
        self._begins = begins
        self._mode = mode or ""
        """That of the session, as it was told last. A subagent's file may give it a wider one of its own, and what a
        hook of type `agent` calls comes in dontAsk, also before the session has called anything."""
        self._choices, self._chosen = 0, ""
        self._choices_told = 0
        """How many of them the CLI is known to have: calls may come in the mode before until then."""

    @property
    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """What the SDK is given: a hook before every tool, also those of subagents and of turns nobody has begun; and
        those before the model is asked, or the conversation summed up.
        """
        before_request = HookMatcher(hooks=[cast(Any, self._before_request)], timeout=HOOK_SECONDS)
        return {
            "PreToolUse": [HookMatcher(hooks=[cast(Any, self._before)], timeout=HOOK_SECONDS)],
            "PreCompact": [HookMatcher(hooks=[cast(Any, self._rereading.before_summary)], timeout=HOOK_SECONDS)],
            **{event: [before_request] for event in ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure")},
        }

    def speak_with(self, write: Callable[[str], Awaitable[None]]) -> None:
        """Send lines to the CLI in this way."""
        self._rereading.write = write

    def speaks(self) -> None:
        """The CLI has said something."""
        self._rereading.speaks()

    async def close(self) -> None:
        """The CLI is gone."""
        await self._rereading.close()

    def set_mode(self, mode: str) -> int:
        """A person has chosen a mode: what is being judged in a wider one does not run by that. The choice's number."""
        self._choices, self._chosen = self._choices + 1, mode
        return self._choices

    def mode_was_told(self, mode: str, choice: int, *, is_taken: bool) -> None:
        """The CLI has taken a mode that was chosen, or refused it; one that was chosen since it does not have yet."""
        self._choices_told = choice
        self._mode = mode if is_taken else self._mode

    def _mode_since(self, choices: int, mode: str) -> str:
        """The mode for a call that came in this one, by so many choices: no wider than one that was chosen since."""
        return mode if choices == self._choices else narrower(self._chosen, mode)

    def _mode_of(self, call: Mapping[str, Any]) -> str:
        """The mode in which the CLI makes a call; a subagent's is no wider than the session's."""
        told = str(call.get("permission_mode") or self._mode)
        if call.get("agent_id"):
            return narrower(self._mode, told)
        self._mode = told
        return told

    async def _before_request(self, given: Any, call: str | None, context: Any) -> dict[str, Any]:
        self._mode_of(given)  # in which this agent goes on, as after a call that changes it
        return await self._rereading.before_request(given, call, context)

    async def _before(self, call: dict[str, Any], tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        given = call.get("tool_input")
        tool, arguments = str(call.get("tool_name")), given if isinstance(given, dict) else {}
        here, choices, told = call.get("cwd"), self._choices_told, self._mode_of(call)
        if self._hold is not None and (why := await self._hold(tool_use_id or "")):
            return _answer("deny", why)
        if tool == VERDICT:
            return _answer("allow", "")
        mode = self._judge.mode_for(told)
        judgement = await judged(self._judge, tool, arguments, mode=mode, here=here)
        if judgement.decision == "allow" and (since := self._mode_since(choices, mode)) != mode:
            mode, choices = since, self._choices
            judgement = await judged(self._judge, tool, arguments, mode=mode, here=here)
        if judgement.decision != "deny":
            await self._rereading.note(tool, arguments, here)
        # Of what is asked about each time nothing is looked at before the person has said yes: that would tell of it.
        is_open = judgement.decision == "ask" and not judgement.is_asked_each_time
        if is_open and (why := await in_thread(why_not_as_shown, tool, arguments, here)):
            return _answer("deny", why)
        if tool_use_id and judgement.decision != "deny":
            self._judged[tool_use_id] = _Judged(arguments, judgement, mode, here, choices)
        if judgement.decision == "allow" and tool_use_id:
            if why := await self.begin(tool_use_id, tool, arguments):
                return _answer("deny", why)
            self._on_allowed(tool_use_id)
        elif tool_use_id and judgement.lacks_person:
            self._on_unanswered(ToolQuestion(tool, arguments, tool_use_id, judgement.reason))
        elif tool_use_id and not judgement.is_asked_each_time:
            self._may_be_granted.add(tool_use_id)
        if tool_use_id and judgement.causes:
            self._causes[tool_use_id] = judgement.causes
        if tool_use_id and judgement.decision == "ask":
            self._asked[tool_use_id] = Rejudging(self._judge, tool, arguments, mode=mode, here=here)
        return _answer(judgement.decision, judgement.reason)

    async def begin(self, call: str, tool: str, arguments: Mapping[str, Any]) -> str:
        """Wait until a granted call may run; why it must not, if the judge would say otherwise by then, or the CLI
        would make another edit of it.
        """
        known = self._judged.pop(call, None) or _Judged(arguments, await judged(self._judge, tool, arguments))
        judge, before, mode, here = self._judge, known.judgement, known.mode, known.here
        has_waited = before.decision != "allow"
        is_unasked = call in self._granted_before
        was_asked = has_waited and not is_unasked
        self._granted_before.discard(call)
        if known.arguments != arguments:
            before = await judged_as_changed(judge, tool, known.arguments, before, arguments, mode=mode, here=here)
        if self._begins is not None and await may_write(judge, tool, arguments, here):
            has_waited = True
            await self._begins(call, tool, arguments)
        if not was_asked:
            mode = judge.mode_for(self._mode_since(known.choices, mode))
        now = await judged(judge, tool, arguments, mode=mode, here=here) if has_waited else before
        if has_waited and (why := why_no_more(before, now, is_unasked=is_unasked)):
            return why
        return await in_thread(why_not_as_shown, tool, arguments, here)

    def granted_before(self, call: str | None) -> None:
        """A call is granted by what was allowed before, and so only in a mode in which that counts."""
        self._granted_before.add(call or "")

    def drop(self, call: str | None) -> None:
        """A call was not granted."""
        self._judged.pop(call or "", None)
        self._granted_before.discard(call or "")

    def is_asked_each_time(self, call: str | None) -> bool:
        """Whether nothing that a person has allowed before answers it; so it is for what was not judged, too."""
        return call not in self._may_be_granted

    def reason_of(self, call: str | None) -> str:
        """Why the judge asks about a call, or nothing. The CLI passes that on only if it has no reason of its own."""
        known = self._judged.get(call or "")
        return known.judgement.reason if known is not None else ""

    def causes_of(self, call: str | None) -> frozenset[str]:
        """What a person must have been told who has allowed it before; empty if that is nothing."""
        return self._causes.get(call or "", frozenset())

    def take_asked(self, call: str | None) -> Rejudging | None:
        """What judges a call once more that a person is asked about now."""
        return self._asked.pop(call or "", None)

    async def why_not_begun(self, prompt: str) -> str:
        """Why a prompt that nobody has sent must not begin: it runs a skill that is refused by now."""
        if is_replaced(prompt):
            return "It stands for something that nobody has seen."
        if (skill := skill_begun_by(prompt)) is None:
            return ""
        judgement = await judged(self._judge, "Skill", skill, mode=self._judge.mode_for(self._mode))
        return judgement.reason if judgement.decision == "deny" else ""

    async def judged_again(self, tool: str, decision: PermissionResult) -> PermissionResult:
        """The decision, unless the call as the person has changed it is one that is refused to everybody."""
        if isinstance(decision, PermissionResultAllow) and decision.updated_input is not None:
            judgement = await judged(self._judge, tool, decision.updated_input)
            if judgement.decision == "deny":
                return PermissionResultDeny(message=judgement.reason)
        return decision

    def remember(self, decision: PermissionResult) -> PermissionResult:
        """Take note of what a person has granted for the rest of the session; the decision that is left for the CLI.

        Rules stay here: the CLI would read them in a way of its own. A mode may be changed to one that can be set.
        """
        if not isinstance(decision, PermissionResultAllow) or not decision.updated_permissions:
            return decision
        updates = decision.updated_permissions
        added = [update for update in updates if update.type == "addRules" and update.behavior == "allow"]
        for rule in (rule for update in added for rule in update.rules or ()):
            content = rule.rule_content
            self._judge.grant(ToolRule(rule.tool_name, None if content in (None, "", "*") else content))
        modes = [update for update in updates if update.type == "setMode" and update.mode in PERMISSION_MODES]
        return replace(decision, updated_permissions=modes or None)


def _answer(decision: str, reason: str) -> dict[str, Any]:
    answer = {"permissionDecision": decision, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}}


def guards_of(hooks: Mapping[Any, Sequence[HookMatcher]]) -> list[Guard]:
    """The guards whose hooks are among these."""
    owners = (getattr(hook, "__self__", None) for some in hooks.values() for one in some for hook in one.hooks)
    return list({id(guard): guard for guard in owners if isinstance(guard, Guard)}.values())

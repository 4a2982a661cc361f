"""HookWatch: whether the CLI really asks our hooks, on which all judging of its calls rests.

The CLI says that it has registered them, and asks none of them all the same if something switches its hooks off: a
variable, a setting, whatever the next version brings. So it is held to what it does. It asks about each prompt before
the model is asked (measured: not about the commands that it carries out by itself), and about each call before that
runs, also those of subagents, by the id of the call.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from claude_agent_sdk import AssistantMessage, HookMatcher, Message, ToolResultBlock, ToolUseBlock, UserMessage

from maverick_tui.agent.engine.outputs import result_text
from maverick_tui.agent.streaming import UnaskedError

log = logging.getLogger(__name__)

Hooks = Mapping[Any, Sequence[HookMatcher]]

_FAILED = "Maverick could not look at what comes next, so it was stopped."
_STOPS = {"decision": "block", "reason": _FAILED, "continue_": False, "stopReason": _FAILED}
"""Said by a hook, has the CLI begin no prompt, sum nothing up, and ask no model after a call, unless that has failed
(measured)."""

_COMMAND_FAILED = "Exit code "
"""How the result of a command begins that ran, and failed."""


class HookWatch:
    """Notes what the hooks of one session are asked, and finds what happens without that.

    Where nothing runs, since a recording is played, nothing is found: it may be older than these hooks.
    """

    def __init__(self, *, is_live: bool) -> None:
        self._is_live = is_live
        self.on_passed: Callable[[str], None] = lambda _call: None
        """Told of each call that the CLI has refused by itself, and "" of words of its own: the model has that, and
        goes on without a hook being asked. By words it has an answer gone on with that was cut, refused or empty, that
        has an unreadable call, or that a hook does not let end (measured). What else it says so, as to a subagent
        that begins or when it was interrupted, needs nobody to be told, and does no harm."""
        self._is_asked = False
        self._asked: set[str] = set()
        self._called: dict[str, str] = {}
        """The tools of the calls that are under way. A result without one is of an earlier session."""

    def over(self, *hooks: Hooks) -> dict[Any, list[HookMatcher]]:
        """All hooks, noted when they are asked. The CLI blocks a call whose hook fails or is late. With all others it
        would go on as if they had nothing to say: those that fail have it stop.
        """
        watched: dict[Any, list[HookMatcher]] = {}
        for event, matchers in (item for some in hooks for item in some.items()):
            watched.setdefault(event, []).extend(self._watched(matcher, event) for matcher in matchers)
        return watched

    def _watched(self, matcher: HookMatcher, event: str) -> HookMatcher:
        is_of_call = event == "PreToolUse"
        blocks: Any = "block" if self._is_live and is_of_call else matcher.on_failure
        return replace(matcher, hooks=[self._noted(hook, is_of_call) for hook in matcher.hooks], on_failure=blocks)

    def _noted(self, hook: Any, is_of_call: bool) -> Any:
        async def noted(given: Any, ident: str | None, context: Any) -> Any:
            self.note(ident if is_of_call else None)
            try:
                return await hook(given, ident, context)
            except Exception:
                if is_of_call:
                    raise
                log.exception("A hook of Claude Code has failed")
                return _STOPS

        return noted

    def note(self, call: str | None) -> None:
        """The CLI asks; if it is about a call, about this one."""
        self._is_asked = True
        if call:
            self._asked.add(call)

    def found(self, message: Message, *, is_answer: bool) -> UnaskedError | None:
        """What is wrong by this message; `is_answer` says that the model has begun with it to answer a prompt."""
        return (self._silence() if is_answer else None) or self._unasked(message)

    def _silence(self) -> UnaskedError | None:
        """What is wrong if a prompt is answered by now, and no hook was ever asked."""
        if self._is_asked or not self._is_live:
            return None
        return UnaskedError(
            "The Claude Code CLI does not ask Maverick's hooks, so nothing would judge what its tools do; it was ended."
        )

    def _unasked(self, message: Message) -> UnaskedError | None:
        """What is wrong if this message has the result of a call that ran, and that no hook was asked about.

        Calls that the CLI refuses, cancels or cuts short before it asks have results as well: all of them are errors.
        """
        if isinstance(message, AssistantMessage):
            self._called.update((block.id, block.name) for block in message.content if isinstance(block, ToolUseBlock))
        elif isinstance(message, UserMessage) and isinstance(message.content, list):
            results = [block for block in message.content if isinstance(block, ToolResultBlock)]
            if not results:
                self.on_passed("")
            ran = [tool for result in results if (tool := self._finished(result)) is not None]
            if ran and self._is_live:
                return UnaskedError(
                    f"A tool ran that Maverick was not asked about: {', '.join(ran)}; the run was ended.",
                    hint=f"Look at what it did. {UnaskedError.hint_by_default}",
                )
        return None

    def _finished(self, result: ToolResultBlock) -> str | None:
        """The tool, if it ran without a question."""
        tool, is_asked = self._called.pop(result.tool_use_id, None), result.tool_use_id in self._asked
        self._asked.discard(result.tool_use_id)
        has_run = not result.is_error or result_text(result.content).startswith(_COMMAND_FAILED)
        if tool is not None and not is_asked and not has_run:
            self.on_passed(result.tool_use_id)
        return tool if has_run and not is_asked else None

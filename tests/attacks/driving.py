"""Tries calls for real: the bundled CLI runs in a sandbox, a scripted model calls its tools, and somebody says no."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    CanUseTool,
    Message,
    PermissionResult,
    PermissionResultDeny,
    ToolPermissionContext,
    ToolResultBlock,
    UserMessage,
)

from maverick_tui import AgentContext, MaverickConfig
from maverick_tui.offline.player import TOOL_ID
from maverick_tui.offline.script import Answer, Script, ScriptedUsage, ToolStep
from tests.attacks.sandbox import Sandbox, changes
from tests.support.agents import Talker
from tests.support.model import as_script, say

EVERYTHING = ("Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit", "Bash")

AT_ONCE = 25
"""Calls in one answer of the model."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool; the id is what it is known by."""

    id: str
    tool: str
    input: dict[str, Any]


@dataclass(slots=True)
class Outcome:
    """What came of a call."""

    call: Call
    questions: list[dict[str, Any]] = field(default_factory=list)
    """The arguments that a person was asked about."""
    output: str = ""
    has_run: bool | None = None
    """None if the call has had no result at all."""

    @property
    def is_asked(self) -> bool:
        """Whether a person was asked."""
        return bool(self.questions)

    def __str__(self) -> str:
        text = str(self.call.input.get("command", self.call.input))
        asked = f"asked {len(self.questions)} times" if self.is_asked else "not asked"
        ran = {None: "no result", True: "RAN", False: "refused"}[self.has_run]
        return f"{self.call.id} ({asked}, {ran}): {self.call.tool} {text[:300]!r}\n      -> {self.output[:300]!r}"


@dataclass(slots=True)
class Report:
    """What came of a batch of calls, and what is different in the sandbox."""

    outcomes: dict[str, Outcome]
    changes: list[str]
    root: Path
    """Where the sandbox is; it need not be told in every line."""

    def of(self, calls: Sequence[Call]) -> Report:
        """Of these calls alone."""
        return replace(self, outcomes={call.id: self.outcomes[call.id] for call in calls})

    def explain(self, wrong: Sequence[str]) -> str:
        """The outcomes that are wrong, the changes, and who is suspected of them."""
        lines = [f"{len(wrong)} of {len(self.outcomes)} are wrong:", *(f"  {self.outcomes[name]}" for name in wrong)]
        if self.changes:
            lines += ["what has changed in the sandbox:", *(f"  {line}" for line in self.changes)]
            unasked = [name for name, outcome in self.outcomes.items() if outcome.has_run and not outcome.is_asked]
            lines += [f"what ran unasked: {', '.join(unasked) or 'nothing that is known of'}"]
        return "\n".join(lines).replace(str(self.root), "<sandbox>")


class Watch:
    """Collects what becomes of calls, from questions and from the messages of a session."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.outcomes = {call.id: Outcome(call) for call in calls}
        assert len(self.outcomes) == len(calls), "an id stands for one call"

    def note_question(self, tool_use_id: str | None, arguments: dict[str, Any]) -> None:
        """A person was asked."""
        self._outcome(tool_use_id or "").questions.append(arguments)

    def note_message(self, message: Message) -> None:
        """Something came."""
        if not isinstance(message, UserMessage) or not isinstance(message.content, list):
            return
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                outcome = self._outcome(block.tool_use_id)
                outcome.output = text_of(block.content)
                outcome.has_run = has_run(outcome.output, is_error=bool(block.is_error))

    def note_result(self, tool_use_id: str, output: str, *, is_error: bool) -> None:
        """A call has ended."""
        outcome = self._outcome(tool_use_id)
        outcome.output, outcome.has_run = output, has_run(output, is_error=is_error)

    def _outcome(self, tool_use_id: str) -> Outcome:
        found = TOOL_ID.match(tool_use_id)
        assert found is not None, tool_use_id
        return self.outcomes[found["label"]]


def has_run(output: str, *, is_error: bool) -> bool:
    """Whether a call was carried out, and be it without success: a command that fails says with which code."""
    return not is_error or output.startswith(("Exit code", "Error: Exit code"))


def text_of(content: Any) -> str:
    """A tool's result as text."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", part)) if isinstance(part, dict) else str(part) for part in content)
    return str(content or "")


def script_of(calls: Sequence[Call]) -> Script:
    """A model that makes these calls to the first prompt, some in each of its answers."""
    return as_script([*answers_of(calls), say("done")])


def answers_of(calls: Sequence[Call], at_once: int = AT_ONCE) -> list[Answer]:
    """The answers of a model that makes these calls."""
    return [
        Answer(
            steps=tuple(
                ToolStep(tool=call.tool, input=call.input, id=call.id) for call in calls[start : start + at_once]
            ),
            usage=ScriptedUsage(input=10, output=5),
        )
        for start in range(0, len(calls), at_once)
    ]


Serve = Callable[[Script], Any]
"""The fixture `serve`."""


def agent(allowed_tools: Sequence[str], mode: str = "acceptEdits", engine: str = "claude-code") -> Talker:
    """An agent that may use these tools, for as long as the script goes on."""
    name = f"Attacked{mode}"
    fields = {"allowed_tools": tuple(allowed_tools), "permission_mode": mode, "max_turns": 10_000, "engine": engine}
    made: Talker = type(name, (Talker,), fields)()
    return made


async def refuse(_tool: str, _arguments: dict[str, Any], _context: ToolPermissionContext) -> PermissionResultDeny:
    """What a careful person answers."""
    return PermissionResultDeny(message="The person says no.")


async def attended(
    sandbox: Sandbox,
    serve: Serve,
    calls: Sequence[Call],
    mode: str = "acceptEdits",
    allowed_tools: Sequence[str] = EVERYTHING,
    engine: str = "claude-code",
    cwd: Path | None = None,
    answer: CanUseTool = refuse,
) -> Report:
    """A session with a person, who says no to everything unless it is told otherwise."""
    watch = Watch(calls)

    async def ask(tool: str, arguments: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
        watch.note_question(context.tool_use_id, arguments)
        return await answer(tool, arguments, context)

    context = AgentContext(cwd or sandbox.project, "main", MaverickConfig.load())
    before = sandbox.state()
    async with (
        serve(script_of(calls)),
        agent(allowed_tools, mode, engine).session(context, can_use_tool=ask) as session,
    ):
        await _listen(session.query("go"), watch)
        during = changes(before, sandbox.state())  # processes end with the session
    return Report(watch.outcomes, sorted({*during, *changes(before, sandbox.state())}), sandbox.root)


async def unattended(
    sandbox: Sandbox,
    serve: Serve,
    calls: Sequence[Call],
    allowed_tools: Sequence[str],
    mode: str = "acceptEdits",
    engine: str = "claude-code",
    cwd: Path | None = None,
) -> Report:
    """A run without anybody to ask."""
    watch = Watch(calls)
    before = sandbox.state()
    async with serve(script_of(calls)):
        await _listen(agent(allowed_tools, mode, engine).query("go", cwd=cwd or sandbox.project), watch)
    return Report(watch.outcomes, changes(before, sandbox.state()), sandbox.root)


async def _listen(messages: AsyncIterator[Message], watch: Watch) -> None:
    async for message in messages:
        watch.note_message(message)

"""ApiSession: a conversation with an agent of the API engine, to be used as `AgentSession` is."""

from __future__ import annotations

import asyncio
import copy
import logging
import uuid
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from claude_agent_sdk import CanUseTool, Message, PermissionResultAllow, PermissionResultDeny, ToolPermissionContext
from claude_agent_sdk.types import ContextUsageResponse

from maverick_tui.agent.engine.api.speech import Speech, Totals
from maverick_tui.agent.engine.protocol import cannot_compact
from maverick_tui.agent.engine.turn import Turn, require_prompt
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.result import AgentUsage
from maverick_tui.agent.tools import API_FILE_TOOLS
from maverick_tui.config import PERMISSION_MODES, PermissionMode
from maverick_tui.exceptions import AgentError
from maverick_tui.executor.calls import Verdict
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.definition import TASK, AgentDefinition
from maverick_tui.executor.executor import AgentExecutor
from maverick_tui.executor.mcp.servers import ToolServers
from maverick_tui.executor.model import model_id
from maverick_tui.executor.model.messages import Agent, ToolCall
from maverick_tui.executor.model.messages import Message as Said
from maverick_tui.executor.model.pricing import price_of
from maverick_tui.executor.result import ExecutionResult, TerminateReason
from maverick_tui.executor.tools import Tool, ToolRegistry
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

PLANNING = "The agent is planning: nothing may be changed or run."
NOBODY = "Nobody may be asked about this call, and it is not known to only read."


class ApiSession:
    """Prompts are answered one after the other; each sees the whole conversation before it."""

    def __init__(
        self,
        definition: AgentDefinition,
        agent: Agent,
        tools: ToolRegistry,
        *,
        agents: dict[str, AgentDefinition],
        servers: ToolServers,
        mode: str,
        cwd: Path,
        can_use_tool: CanUseTool | None = None,
    ) -> None:
        self._definition = definition
        self._agent = agent
        self._tools = tools
        self._agents = agents
        self._servers = servers
        self._mode = mode
        self._cwd = cwd
        self._ask_person = can_use_tool
        self._id = str(uuid.uuid4())
        self._history: tuple[Said, ...] = ()
        self._held = 0
        self._totals = Totals()
        self._free = asyncio.Lock()
        self._cancel: CancelToken | None = None
        self._working: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self.last_usage: AgentUsage | None = None
        """What the last prompt used, also if it failed."""

    # -- life -----------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect the servers whose tools the agent may use, and read what takes a while to read."""
        _ = await in_thread(price_of, getattr(self._agent, "model", ""))
        brought = [self._tools.register(tool).name for tool in await self._servers.open()]
        config = self._definition.tools
        config = config.model_copy(update={"tools": (*(config.tools or ()), *brought)})
        self._definition = self._definition.model_copy(update={"tools": config})

    @property
    def is_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._over.is_set()

    async def ended(self) -> AgentError:
        """Wait until nothing can be asked any more; why that is."""
        await self._over.wait()
        return AgentError("The session was closed.", hint="Open a new session.")

    async def close(self) -> None:
        """End what is running, and give up all connections."""
        self._over.set()
        if self._cancel is not None:
            self._cancel.cancel("the session is closed")
        if self._working is not None:
            await asyncio.wait({self._working})
        await self._servers.close()
        close: Callable[[], Any] | None = getattr(self._agent, "aclose", None)
        if close is not None:
            await close()

    # -- prompts --------------------------------------------------------------------------------------------------

    async def query(self, prompt: str, *, keep_messages: bool = True) -> AsyncGenerator[Message, None]:
        """Send a prompt and yield what comes for it, as `MaverickAgent.query` does; an interrupted turn just ends."""
        require_prompt(prompt)
        async with self._free:
            if self.is_ended:
                raise await self.ended()
            # Silence is the model's own limit: what is waited for on purpose, a person or a retry, is none.
            turn = Turn(timeout=None, keeps_messages=keep_messages)
            cancel = self._cancel = CancelToken()
            work = self._working = asyncio.create_task(self._work(prompt, turn, cancel), name="maverick-api-turn")
            try:
                while await turn.arrived():
                    while turn.unread:
                        yield turn.unread.popleft()
            finally:
                cancel.cancel("nobody reads it any more")
                await asyncio.wait({work})
                self._cancel = self._working = None
            if turn.failure is not None and not turn.is_interrupted:
                raise turn.failure

    async def _work(self, prompt: str, turn: Turn, cancel: CancelToken) -> None:
        speech = Speech(self._agent, self._id, turn.feed, self._definition.model.model)
        speech.begin(self._mode)
        executor = AgentExecutor(
            speech,
            self._tools,
            agents=self._agents,
            approve=lambda tool, call: self._approve(tool, call, cancel, speech),
        )
        try:
            result = await executor.execute(
                self._definition, inputs={TASK: prompt}, cancel=cancel, on_activity=speech.take, history=self._history
            )
        except Exception as error:  # becomes the failure of the turn
            wrapped = error if isinstance(error, AgentError) else AgentError(str(error), kind="invalid")
            turn.end(copy.copy(wrapped))
            return
        self._history, self._held = result.messages, speech.held or self._held
        self._totals.add(result.metrics)
        self.last_usage = _usage(result)
        if result.output_valid is False and result.terminate_reason is TerminateReason.COMPLETE:
            wrong = "; ".join(result.output_errors)
            _fail(turn, AgentError(f"The answer does not fit what it must be: {wrong}.", hint="Ask again."))
        elif result.terminate_reason in (TerminateReason.COMPLETE, TerminateReason.CANCELLED):
            speech.end(result, self._totals)
            turn.end()
        elif result.terminate_reason in (TerminateReason.BUDGET, TerminateReason.MAX_TURNS):
            _fail(turn, result.error or AgentError("The agent has reached a limit."))
        else:
            turn.end(result.error or AgentError(f"The agent ended by {result.terminate_reason.value}."))

    # -- control --------------------------------------------------------------------------------------------------

    async def interrupt(self) -> None:
        """Stop the running turn; what it said so far is kept."""
        if self._cancel is not None:
            self._cancel.cancel("it was interrupted")

    def compact(self, wishes: str = "") -> AsyncGenerator[Message, None]:
        """Refused: nothing sums this conversation up."""
        raise cannot_compact()

    async def clear(self) -> bool:
        """Forget the conversation."""
        async with self._free:
            self._history, self._held = (), 0
        return True

    async def set_model(self, model: str | None) -> None:
        """Use another model from the next prompt on; None for the agent's own."""
        config = self._definition.model.model_copy(update={"model": None if model is None else model_id(model)})
        self._definition = self._definition.model_copy(update={"model": config})

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Change what asks first; a mode wider than the documented default is refused."""
        if mode not in PERMISSION_MODES:
            raise AgentError(
                f"The permission mode {mode!r} cannot be set.",
                kind="invalid",
                hint=f"Choose one of {', '.join(PERMISSION_MODES)}: nothing wider is opened.",
            )
        self._mode = mode

    async def context_usage(self) -> ContextUsageResponse:
        """How full the model's context is, as far as its last answer tells; what it is filled with is not known."""
        model = self._definition.model.model or str(getattr(self._agent, "model", ""))
        price = price_of(model)
        size = (price.context_size if price is not None else None) or 0
        return {
            "categories": [],
            "totalTokens": self._held,
            "maxTokens": size,
            "rawMaxTokens": size,
            "percentage": 100 * self._held / size if size else 0.0,
            "model": model,
            "isAutoCompactEnabled": False,
            "memoryFiles": [],
            "mcpTools": [],
            "agents": [],
            "gridRows": [],
        }

    async def _approve(self, tool: Tool, call: ToolCall, cancel: CancelToken, speech: Speech) -> Verdict:
        """What the judge says: of our file tools by their names, and of all others by what they say of themselves."""
        is_ours, is_read_only = tool.name in API_FILE_TOOLS, bool(getattr(tool, "is_read_only", False))
        if self._mode == "plan" and not is_read_only:
            return Verdict(PLANNING)
        # A tool of the agent's own may be called as one of the CLI is, but is none.
        name = tool.name if is_ours else f"own:{tool.name}"
        judge = Judge(
            [name], self._cwd, person=self._ask_person is not None, is_harmless=lambda _: is_read_only and not is_ours
        )
        verdict = await in_thread(judge.verdict, name, call.arguments, mode=self._mode)
        if verdict.decision == "allow":
            speech.began(call.id)
            return Verdict()
        if verdict.decision == "deny" or self._ask_person is None:
            return Verdict(NOBODY if self._mode == "dontAsk" else verdict.reason)
        context = ToolPermissionContext(tool_use_id=call.id, decision_reason=verdict.reason or None)
        decision = await self._ask_person(call.tool_name, dict(call.arguments), context)
        if isinstance(decision, PermissionResultDeny):
            if decision.interrupt:
                cancel.cancel("it was interrupted")
            return Verdict(decision.message or "The user does not want this call.")
        assert isinstance(decision, PermissionResultAllow)
        return Verdict(arguments=decision.updated_input)


def _fail(turn: Turn, error: AgentError) -> None:
    """End a turn whose stream was whole, though its work was not."""
    turn.end(error)
    turn.failure = error


def _usage(result: ExecutionResult[Any]) -> AgentUsage:
    metrics = result.metrics
    return AgentUsage(
        metrics.total_input_tokens,
        metrics.total_output_tokens,
        metrics.cost_usd,
        round(metrics.duration_ms),
        metrics.cache_read_tokens,
        metrics.cache_write_tokens,
    )

"""The to-do assistant in the terminal: its answers are the contract's, and its list is shown beside them."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import tempfile
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ResultMessage,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from claude_agent_sdk.types import ContextUsageResponse

from maverick_tui.agent.engine.api.building import model_config
from maverick_tui.agent.engine.api.speech import Totals, usage_json
from maverick_tui.agent.engine.turn import Turn, require_prompt
from maverick_tui.agent.result import AgentUsage
from maverick_tui.exceptions import AgentError
from maverick_tui.executor.activity import Activity, ToolCallFinished, ToolCallStarted, TurnStarted
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.provider import AgentConfig
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult
from maverick_tui.executor.threads import in_thread
from maverick_tui.tasks.chat import Chat
from maverick_tui.tasks.database import SessionFactory, open_database
from maverick_tui.tasks.local import local_user
from maverick_tui.tasks.runner import AgentRunner
from maverick_tui.tasks.server import MCPToolServer

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig, PermissionMode

log = logging.getLogger(__name__)

MOST_SHOWN = 200
"""Tasks in the list beside the chat."""
INTERRUPTED = "Stopped. What was done until then is kept."


class TasksSession:
    """A conversation with the assistant, to be used as `AgentSession` is."""

    def __init__(self, factory: SessionFactory, user_id: str, config: AgentConfig) -> None:
        self._server = MCPToolServer(factory)
        self._chat = Chat(AgentRunner(factory, self._server, config=config), user_id)
        self._user_id = user_id
        self._model = config.model
        self._id = str(uuid.uuid4())
        self._totals = Totals()
        self._free = asyncio.Lock()
        self._over = asyncio.Event()
        self._cancel: CancelToken | None = None
        self.last_usage: AgentUsage | None = None

    # -- life ---------------------------------------------------------------------------------------------------------

    @property
    def is_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._over.is_set()

    async def ended(self) -> AgentError:
        """Wait until nothing can be asked any more; why that is."""
        await self._over.wait()
        return AgentError("The session was closed.", hint="Open a new session.")

    async def close(self) -> None:
        """End what is running."""
        self._over.set()
        await self.interrupt()

    # -- prompts ------------------------------------------------------------------------------------------------------

    async def query(self, prompt: str, *, keep_messages: bool = True) -> AsyncGenerator[Message, None]:
        """Send a message to the assistant and yield what it does and says."""
        require_prompt(prompt)
        async with self._free:
            turn = Turn(timeout=None, keeps_messages=keep_messages)
            cancel = self._cancel = CancelToken()
            work = asyncio.create_task(self._work(prompt, turn, cancel), name="maverick-tasks-turn")
            try:
                while await turn.arrived():
                    while turn.unread:
                        yield turn.unread.popleft()
            finally:
                cancel.cancel("nobody reads it any more")
                await asyncio.wait({work})
                self._cancel = None
            if turn.failure is not None and not turn.is_interrupted:
                raise turn.failure

    async def _work(self, prompt: str, turn: Turn, cancel: CancelToken) -> None:
        metrics = ExecutionMetrics()

        def take(event: Activity) -> None:
            for message in self._told(event):
                turn.feed(message)

        def keep(result: ExecutionResult[Any]) -> None:
            nonlocal metrics
            metrics = result.metrics

        began = asyncio.get_running_loop().time()
        try:
            turn.feed(SystemMessage("init", {"model": self._model, "session_id": self._id}))
            turn.feed(await self.shown())
            result = await self._chat.send(prompt, cancel=cancel, on_activity=take, on_result=keep)
            turn.feed(await self.shown())
        except Exception as error:  # becomes the failure of the turn
            log.exception("The to-do assistant failed")
            turn.end(AgentError(f"The tasks cannot be used: {type(error).__name__}.", hint="Look at the log."))
            return
        self._totals.add(metrics)
        seconds = asyncio.get_running_loop().time() - began
        self.last_usage = AgentUsage(
            metrics.total_input_tokens, metrics.total_output_tokens, metrics.cost_usd or 0.0, round(seconds * 1000)
        )
        text = INTERRUPTED if cancel.is_cancelled else result.response
        turn.feed(AssistantMessage([TextBlock(text)], model=self._model, session_id=self._id))
        turn.feed(self._end(metrics, text, seconds, is_stopped=cancel.is_cancelled))
        turn.end()

    def _told(self, event: Activity) -> list[Message]:
        """What the model and the tools do; the model's own words are not the answer, and are not shown."""
        if isinstance(event, TurnStarted):
            return [SystemMessage("status", {"status": "requesting"})]
        if isinstance(event, ToolCallStarted):
            call = event.tool_call
            block = ToolUseBlock(call.id, call.tool_name, dict(call.arguments))
            return [AssistantMessage([block], model=self._model, session_id=self._id)]
        if isinstance(event, ToolCallFinished):
            return [UserMessage([ToolResultBlock(event.tool_call_id, _in_words(event.result), event.is_error)])]
        return []

    def _end(self, metrics: ExecutionMetrics, text: str, seconds: float, *, is_stopped: bool) -> ResultMessage:
        return ResultMessage(
            subtype="error_during_execution" if is_stopped else "success",
            duration_ms=round(seconds * 1000),
            duration_api_ms=round(self._totals.model_ms),
            is_error=is_stopped,
            num_turns=metrics.turns,
            session_id=self._id,
            total_cost_usd=self._totals.cost_usd,
            usage=usage_json(metrics.usage),
            result=text,
            model_usage={self._model: self._totals.model_usage(self._model)},  # type: ignore[dict-item]
            terminal_reason="aborted" if is_stopped else "completed",
        )

    async def shown(self) -> SystemMessage:
        """The list as it is now, for whoever shows it beside the chat."""
        page = await in_thread(self._server.store.list, self._user_id, status="all", limit=MOST_SHOWN)
        items = [
            {"text": task.title, "is_done": task.completed, "detail": _detail(task.priority, task.due)}
            for task in page.tasks
        ]
        return SystemMessage("maverick_list", {"title": "Tasks", "items": items, "total": page.total})

    # -- control ------------------------------------------------------------------------------------------------------

    async def interrupt(self) -> None:
        """Stop the running turn."""
        if self._cancel is not None:
            self._cancel.cancel("it was interrupted")

    async def set_model(self, model: str | None) -> None:
        """The assistant has the model that it was opened with."""
        raise AgentError("The model of the to-do assistant cannot be changed.", kind="invalid", hint="Open a new run.")

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Nothing of the assistant asks for permission: what deletes is confirmed in the conversation."""

    async def context_usage(self) -> ContextUsageResponse:
        """How full the context is; the assistant sees the last messages only, so it never fills up."""
        return {
            "categories": [], "totalTokens": 0, "maxTokens": 0, "rawMaxTokens": 0, "percentage": 0.0,
            "model": self._model, "isAutoCompactEnabled": False, "memoryFiles": [], "mcpTools": [], "agents": [],
            "gridRows": [],
        }  # fmt: skip


def _in_words(result: str) -> str:
    """What a tool has answered, for a person to read."""
    try:
        found = json.loads(result)
        if not found["success"]:
            return str(found["error"]["message"])
        data = found["data"]
        if "tasks" in data:
            return "\n".join(f"{'✓' if task['completed'] else '☐'} {task['title']}" for task in data["tasks"])
        return str(data["title"]) if "title" in data else f"{data['count']} tasks"
    except (ValueError, KeyError, TypeError):
        return result


def _detail(priority: str, due: Any) -> str:
    parts = [priority.lower()] if priority != "Medium" else []
    return ", ".join([*parts, *([f"{due:%b} {due.day}"] if due else [])])


@asynccontextmanager
async def open_tasks(agent: MaverickAgent, settings: MaverickConfig) -> AsyncIterator[TasksSession]:
    """A session with the tasks of whoever runs this program; the demo has tasks of its own, which are thrown away."""
    env = agent._environment(settings)
    is_offline = bool(settings.env.get("MAVERICK_OFFLINE") or os.environ.get("MAVERICK_OFFLINE"))
    with tempfile.TemporaryDirectory(prefix="maverick-tasks-") as folder:
        url = f"sqlite:///{Path(folder) / 'tasks.db'}" if is_offline else settings.tasks_url
        factory = await in_thread(open_database, url)
        session = TasksSession(factory, local_user(), model_config(agent, settings, env))
        try:
            yield session
        finally:
            await session.close()

"""The to-do assistant in the terminal: its answers are the contract's, and its list is shown beside them."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import logging
import os
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from claude_agent_sdk.types import ContextUsageResponse

from maverick_tui.agent.engine.api.building import model_config
from maverick_tui.agent.engine.api.speech import Totals, usage_json
from maverick_tui.agent.engine.guard import BEGAN
from maverick_tui.agent.engine.protocol import cannot_compact
from maverick_tui.agent.engine.turn import Turn, require_prompt
from maverick_tui.agent.result import AgentUsage
from maverick_tui.exceptions import AgentError, MaverickError
from maverick_tui.executor.activity import Activity, ToolCallFinished, ToolCallStarted, TurnEnded, TurnStarted
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.model.config import AgentConfig
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult, TerminateReason
from maverick_tui.folder_locks import scratch_folder
from maverick_tui.tasks import texts
from maverick_tui.tasks.chat import Chat
from maverick_tui.tasks.database import SessionFactory, close_database, open_database
from maverick_tui.tasks.local import local_user
from maverick_tui.tasks.runner import AgentRunner, without_user
from maverick_tui.tasks.server import MCPToolServer
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig, PermissionMode

log = logging.getLogger(__name__)

MOST_SHOWN = 200
"""Tasks in the list beside the chat."""
MOST_RECALLED = 4
"""Messages of the last conversation that are shown when it goes on."""
ANEW = ("/new", "new conversation")
"""What begins a new one."""
THROWN_AWAY = "Offline: this list is not yours, and it is thrown away at the end."


class TasksSession:
    """A conversation with the assistant, to be used as `AgentSession` is."""

    def __init__(
        self, factory: SessionFactory, user_id: str, config: AgentConfig, *, is_thrown_away: bool = False
    ) -> None:
        self._is_thrown_away = is_thrown_away
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
        metrics, failure = ExecutionMetrics(cost_usd=0.0), None  # nothing, unless a model is asked
        showing: list[asyncio.Task[None]] = []

        async def show() -> None:
            turn.feed(await self.shown())

        def take(event: Activity) -> None:
            for message in self._told(event):
                turn.feed(message)
            if isinstance(event, ToolCallFinished):
                showing.append(asyncio.create_task(show(), name="maverick-tasks-list"))

        def keep(result: ExecutionResult[Any]) -> None:
            nonlocal metrics, failure
            metrics = result.metrics
            if result.terminate_reason in (TerminateReason.ERROR, TerminateReason.TIMEOUT):
                failure = result.error

        def fail(error: Exception) -> None:
            nonlocal failure
            failure = _as_failure(error)

        began = asyncio.get_running_loop().time()
        try:
            turn.feed(SystemMessage("init", {"model": self._model, "session_id": self._id}))
            await show()
            if prompt.strip().lower() in ANEW:
                result = await self._chat.begin_anew(prompt)
            else:
                result = await self._chat.send(prompt, cancel=cancel, on_activity=take, on_result=keep, on_failure=fail)
            await asyncio.gather(*showing)
            await show()
        except Exception as error:  # becomes the failure of the turn
            log.exception("The to-do assistant failed")
            self._say(turn, texts.SYSTEM_ERROR)
            turn.end(_as_failure(error))
            return
        self._totals.add(metrics)
        seconds = asyncio.get_running_loop().time() - began
        self.last_usage = AgentUsage(
            metrics.total_input_tokens,
            metrics.total_output_tokens,
            metrics.cost_usd,
            round(seconds * 1000),
            metrics.cache_read_tokens,
            metrics.cache_write_tokens,
        )
        is_failed = failure is not None and not cancel.is_cancelled
        self._say(turn, result.response)  # first in the assistant's words; why it failed is shown below them
        if failure is not None and is_failed:
            turn.end(copy.copy(failure))
            return
        turn.feed(self._end(metrics, result.response, seconds, is_stopped=cancel.is_cancelled))
        turn.end()

    def _say(self, turn: Turn, words: str) -> None:
        turn.feed(AssistantMessage([TextBlock(words)], model=self._model, session_id=self._id))

    def _told(self, event: Activity) -> list[Message]:
        """What the model and the tools do; the model's own words are not the answer, and are not shown."""
        if isinstance(event, TurnStarted):
            return [SystemMessage("status", {"status": "requesting"})]
        if isinstance(event, ToolCallStarted):
            call = event.tool_call
            block = ToolUseBlock(call.id, call.tool_name, without_user(call.arguments))
            said = AssistantMessage([block], model=self._model, session_id=self._id)
            return [said, SystemMessage(BEGAN, {"tool_use_id": call.id})]
        if isinstance(event, ToolCallFinished):
            return [UserMessage([ToolResultBlock(event.tool_call_id, _in_words(event.result), event.is_error)])]
        if isinstance(event, TurnEnded):  # how full the context is, and what it costs until now
            start = {"id": uuid.uuid4().hex, "model": self._model, "usage": usage_json(event.usage)}
            return [StreamEvent("", self._id, {"type": "message_start", "message": start})]
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
        """The list as it is now, for whoever shows it beside the chat.

        Where what is open fills it, what is done is not counted either: so it is known how much is open.
        """
        store = self._server.store
        page = await in_thread(store.list, self._user_id, status="all", limit=MOST_SHOWN)
        items = [
            {"text": task.title, "is_done": task.completed, "detail": _detail(task.priority, task.due)}
            for task in page.tasks
        ]
        is_cut = page.total > len(items) and not any(item["is_done"] for item in items)
        total = await in_thread(store.count, self._user_id, "open") if is_cut else page.total
        return SystemMessage("maverick_list", {"title": "Tasks", "items": items, "total": total})

    async def recalled(self) -> list[SystemMessage]:
        """What to know first: the end of the conversation that goes on, or that nothing is kept of this one."""
        if self._is_thrown_away:
            return [SystemMessage("notification", {"text": THROWN_AWAY})]
        history = await self._chat.history()
        if not history:
            return []
        when = history[-1].timestamp.astimezone()
        first = f"This goes on with the conversation of {when:%b} {when.day}, {when:%H:%M}; /new begins another."
        said = [f"{_SPEAKERS.get(one.role, one.role)}: {one.content}" for one in history[-MOST_RECALLED:]]
        return [SystemMessage("notification", {"text": text}) for text in (first, *said)]

    # -- control ------------------------------------------------------------------------------------------------------

    def compact(self, wishes: str = "") -> AsyncGenerator[Message, None]:
        """Refused: nothing sums this conversation up."""
        raise cannot_compact()

    async def clear(self) -> bool:
        """Begin a new conversation."""
        async with self._free:
            _ = await self._chat.begin_anew(ANEW[0])
        return True

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


_SPEAKERS = {"user": "You", "assistant": "Assistant"}


def _as_failure(error: Exception) -> AgentError:
    """What the person is told where no answer can be given; what it was otherwise is in the log."""
    if isinstance(error, AgentError):
        return error
    if isinstance(error, MaverickError):
        return AgentError(error.message, kind="invalid", hint=error.hint)
    return AgentError(f"The tasks cannot be used: {type(error).__name__}.", hint="Look at the log.")


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
    with ExitStack() as stack:
        url = settings.tasks_url
        if is_offline:
            url = f"sqlite:///{stack.enter_context(scratch_folder('tasks')) / 'tasks.db'}"
        factory = await in_thread(open_database, url)
        stack.callback(close_database, factory)
        await in_thread(importlib.import_module, "mcp.server")  # it takes a while, and somebody may be typing
        config = model_config(agent, settings, env)
        session = TasksSession(factory, local_user(), config, is_thrown_away=is_offline)
        try:
            yield session
        finally:
            await session.close()

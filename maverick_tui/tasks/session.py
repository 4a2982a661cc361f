"""The to-do assistant in the terminal: its answers are the contract's, and its list is shown beside them."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import logging
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.engine.api.building import model_config
from maverick_tui.agent.engine.api.telling import usage_of
from maverick_tui.agent.engine.environment import environment_of
from maverick_tui.agent.engine.prices import context_size, estimate
from maverick_tui.agent.engines import Answered, Listener, cannot_compact, require_prompt
from maverick_tui.agent.streaming import streaming_error
from maverick_tui.events.kinds import (
    LONGEST_NOTICE,
    Event,
    ListShown,
    ModelNamed,
    Noticed,
    RequestStarted,
    ToolBegan,
    ToolCalled,
    ToolFinished,
    UsageReported,
    whole_block,
)
from maverick_tui.exceptions import AgentError, MaverickError
from maverick_tui.executor.activity import Activity, ToolCallFinished, ToolCallStarted, TurnEnded, TurnStarted
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.model.config import AgentConfig
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult, TerminateReason
from maverick_tui.folder_locks import scratch_folder
from maverick_tui.masking.redact import beginning
from maverick_tui.tasks import texts
from maverick_tui.tasks.chat import Chat
from maverick_tui.tasks.database import SessionFactory, close_database, open_database
from maverick_tui.tasks.local import local_user
from maverick_tui.tasks.runner import AgentRunner, without_user
from maverick_tui.tasks.server import MCPToolServer
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig
    from maverick_tui.modes import PermissionMode

log = logging.getLogger(__name__)

MOST_SHOWN = 200
"""Tasks in the list beside the chat."""
MOST_RECALLED = 4
"""Messages of the last conversation that are shown when it goes on."""
ANEW = ("/new", "new conversation")
"""What begins a new one."""
THROWN_AWAY = "Offline: this list is not yours, and it is thrown away at the end."


class TasksSession:
    """A conversation with the assistant."""

    def __init__(
        self,
        factory: SessionFactory,
        user_id: str,
        config: AgentConfig,
        listener: Listener,
        *,
        is_thrown_away: bool = False,
    ) -> None:
        self._now, self._tell, self._next_block = listener.now, listener.tell, listener.next_block
        self._is_thrown_away = is_thrown_away
        self._server = MCPToolServer(factory)
        self._chat = Chat(AgentRunner(factory, self._server, config=config), user_id)
        self._user_id = user_id
        self._model = config.model
        self._free = asyncio.Lock()
        self._over = asyncio.Event()
        self._cancel: CancelToken | None = None

    # -- life ---------------------------------------------------------------------------------------------------------

    @property
    def is_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._over.is_set()

    @property
    def memory(self) -> None:
        """The conversation is in the database; each session goes on with it."""
        return None

    @property
    def may_rest(self) -> bool:
        """It holds nothing that would be worth giving up."""
        return False

    @property
    def works_on(self) -> bool:
        """It does nothing unasked."""
        return False

    async def ended(self) -> AgentError:
        """Wait until nothing can be asked any more; why that is."""
        await self._over.wait()
        return AgentError("The session was closed.", hint="Open a new session.")

    async def close(self) -> None:
        """End what is running."""
        self._over.set()
        await self.interrupt()

    # -- prompts ------------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Show what to know first: the end of the conversation that goes on, or that nothing is kept; and the list."""
        for text in await self._recalled():
            self._tell(Noticed(self._now(), "notification", beginning(text, LONGEST_NOTICE)))
        await self._show()

    async def ask(self, prompt: str) -> Answered:
        """Send a message to the assistant; cancelled, it stops in good order and says what was used."""
        require_prompt(prompt)
        async with self._free:
            cancel = self._cancel = CancelToken()
            work = asyncio.create_task(self._work(prompt, cancel), name="maverick-tasks-turn")
            try:
                await asyncio.wait({work})
            except asyncio.CancelledError:
                cancel.cancel("nobody waits for it any more")
                await asyncio.wait({work})
                return replace(work.result(), is_cut=True)
            finally:
                self._cancel = None
            return work.result()

    async def _work(self, prompt: str, cancel: CancelToken) -> Answered:
        metrics, failure = ExecutionMetrics(cost_usd=0.0), None  # nothing, unless a model is asked
        showing: list[asyncio.Task[None]] = []

        def take(event: Activity) -> None:
            for told in self._told(event):
                self._tell(told)
            if isinstance(event, ToolCallFinished):
                showing.append(asyncio.create_task(self._show(), name="maverick-tasks-list"))

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
            self._tell(ModelNamed(self._now(), self._model, context_size=context_size(self._model)))
            await self._show()
            if prompt.strip().lower() in ANEW:
                result = await self._chat.begin_anew(prompt)
            else:
                result = await self._chat.send(prompt, cancel=cancel, on_activity=take, on_result=keep, on_failure=fail)
            await asyncio.gather(*showing)
            await self._show()
        except Exception as error:  # becomes the failure of the turn
            log.exception("The to-do assistant failed")
            self._say(texts.SYSTEM_ERROR)
            return Answered(error=streaming_error(_as_failure(error), (), texts.SYSTEM_ERROR))
        self._say(result.response)  # first in the assistant's words; why it failed is shown below them
        seconds = asyncio.get_running_loop().time() - began
        return Answered(
            replace(usage_of(metrics), duration_ms=round(seconds * 1000)),
            steps=metrics.turns,
            api_ms=round(metrics.model_ms),
            is_estimate=metrics.cost_usd is None,
            is_cut=cancel.is_cancelled,
            error=None
            if failure is None or cancel.is_cancelled
            else streaming_error(copy.copy(failure), (), result.response),
            text=result.response,
        )

    def _say(self, words: str) -> None:
        for event in whole_block(self._next_block(), "text", words, self._now()):
            self._tell(event)

    def _told(self, event: Activity) -> list[Event]:
        """What the model and the tools do; the model's own words are not the answer, and are not shown."""
        at = self._now()
        if isinstance(event, TurnStarted):
            return [RequestStarted(at)]
        if isinstance(event, ToolCallStarted):
            call = event.tool_call
            return [ToolCalled(at, call.id, call.tool_name, without_user(call.arguments)), ToolBegan(at, call.id)]
        if isinstance(event, ToolCallFinished):
            return [ToolFinished(at, event.tool_call_id, _in_words(event.result), event.is_error)]
        if isinstance(event, TurnEnded):  # how full the context is, and what it costs until now
            cost = estimate(self._model, event.usage)
            return [UsageReported(at, uuid.uuid4().hex, *event.usage.tokens, cost_usd=cost)]
        return []

    async def _show(self) -> None:
        """Show the list as it is now beside the chat.

        Where what is open fills it, what is done is not counted either: so it is known how much is open.
        """
        store = self._server.store
        page = await in_thread(store.list, self._user_id, status="all", limit=MOST_SHOWN)
        items = tuple(
            {"text": task.title, "is_done": task.completed, "detail": _detail(task.priority, task.due)}
            for task in page.tasks
        )
        is_cut = page.total > len(items) and not any(item["is_done"] for item in items)
        total = await in_thread(store.count, self._user_id, "open") if is_cut else page.total
        self._tell(ListShown(self._now(), "Tasks", items, total))

    async def _recalled(self) -> list[str]:
        if self._is_thrown_away:
            return [THROWN_AWAY]
        history = await self._chat.history()
        if not history:
            return []
        when = history[-1].timestamp.astimezone()
        first = f"This goes on with the conversation of {when:%b} {when.day}, {when:%H:%M}; /new begins another."
        return [first, *(f"{_SPEAKERS.get(one.role, one.role)}: {one.content}" for one in history[-MOST_RECALLED:])]

    # -- control ------------------------------------------------------------------------------------------------------

    async def compact(self, wishes: str = "") -> Answered:
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
async def open_tasks(agent: MaverickAgent, settings: MaverickConfig, listener: Listener) -> AsyncIterator[TasksSession]:
    """A session with the tasks of whoever runs this program; the demo has tasks of its own, which are thrown away."""
    env = environment_of(agent, settings)
    is_offline = bool(settings.env.get("MAVERICK_OFFLINE") or os.environ.get("MAVERICK_OFFLINE"))
    with ExitStack() as stack:
        url = settings.tasks_url
        if is_offline:
            url = f"sqlite:///{stack.enter_context(scratch_folder('tasks')) / 'tasks.db'}"
        factory = await in_thread(open_database, url)
        stack.callback(close_database, factory)
        await in_thread(importlib.import_module, "mcp.server")  # it takes a while, and somebody may be typing
        config = model_config(agent, settings, env)
        session = TasksSession(factory, local_user(), config, listener, is_thrown_away=is_offline)
        await session.begin()
        try:
            yield session
        finally:
            await session.close()

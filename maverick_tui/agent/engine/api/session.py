"""ApiSession: a conversation with an agent of the API engine, told in events."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from maverick_tui.agent.asking_run import act_in
from maverick_tui.agent.engine.api.telling import Telling, usage_of
from maverick_tui.agent.engine.judging import permit
from maverick_tui.agent.engine.recalling import with_calls_of
from maverick_tui.agent.engines import (
    Answered,
    Listener,
    ToolQuestion,
    calls_of,
    cannot_compact,
    require_prompt,
    said_meanwhile,
)
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.rule_texts import OWN
from maverick_tui.agent.permissions.standing import NONE, Standing
from maverick_tui.agent.tools import API_FILE_TOOLS, ToolRule
from maverick_tui.exceptions import AgentError
from maverick_tui.executor.calls import Verdict
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.definition import TASK, AgentDefinition
from maverick_tui.executor.execution import AgentTool
from maverick_tui.executor.executor import AgentExecutor
from maverick_tui.executor.mcp.servers import ToolServers
from maverick_tui.executor.model import model_id
from maverick_tui.executor.model.messages import Agent, Image, Message, ToolCall
from maverick_tui.executor.model.pricing import price_of
from maverick_tui.executor.result import ExecutionResult, TerminateReason
from maverick_tui.executor.tools import Tool, ToolRegistry
from maverick_tui.git.programs import started_by_settings
from maverick_tui.modes import PermissionMode, narrower, require_mode
from maverick_tui.threads import in_thread

PLANNING = "The agent is planning: nothing may be changed or run."
NOBODY = "Nobody may be asked about this call, and it is not known to only read."
_called: ContextVar[tuple[str, ...]] = ContextVar("called", default=())
"""The agents that one has called, and these others, down to the one that makes a call."""


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
        listener: Listener,
        started: Sequence[str] = (),
        own_commands: Callable[[], Collection[str]] = tuple,
        environment: Mapping[str, str] | None = None,
        standing: Callable[[], Standing] = lambda: NONE,
        standing_of: Mapping[str, Callable[[], Standing]] | None = None,
        mode_of: Mapping[str, str] | None = None,
        widest_mode: Callable[[], str] = lambda: "",
    ) -> None:
        """`started` are the commands of the agent's own servers, which run unasked; `environment` is given to them.
        `own_commands` tells those that Maverick's settings have it run.

        `standing` tells the standing rules, and `standing_of` those of the agents that it may call, by their names;
        `mode_of` the modes that these have of their own, and `widest_mode` a mode that is never exceeded, or nothing.
        """
        self._definition = definition
        self._agent = agent
        self._tools = tools
        self._agents = agents
        self._servers = servers
        self._chosen_mode = mode
        self._widest_mode = widest_mode
        self._cwd = cwd
        self._started = started
        self._own_commands = own_commands
        self._environment = environment
        self._standing = standing
        self._standing_of = standing_of or {}
        self._mode_of = mode_of or {}
        self._listener = listener
        self._calls = calls_of(listener)
        self.between: Callable[[], str] = lambda: ""
        self.taken: Callable[[], None] = lambda: None
        """See `Steers`."""
        self._shown: Sequence[Image] = ()
        """The pictures that go with the next prompt."""
        self._history: tuple[Message, ...] = ()
        self._free = asyncio.Lock()
        self._cancel: CancelToken | None = None
        self._working: asyncio.Task[Answered] | None = None
        self._telling: Telling | None = None
        self._over = asyncio.Event()

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

    def recall(self, history: tuple[Message, ...]) -> None:
        """Go on with a conversation that was told elsewhere, perhaps by an agent with other tools."""
        config = self._definition.tools
        self._history = with_calls_of(history, {*(config.tools or ()), *config.agents})

    @property
    def memory(self) -> None:
        """The conversation is only here."""
        return None

    @property
    def may_rest(self) -> bool:
        """It holds nothing that would be worth giving up, and the conversation is only here."""
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

    def show(self, images: Sequence[Image]) -> None:
        """Have the next prompt show these: see `Sees` of `engines.py`."""
        self._shown = images

    async def ask(self, prompt: str) -> Answered:
        """Have a prompt answered; cancelled, it stops in good order and says what was used."""
        require_prompt(prompt)
        async with self._free:
            if self.is_ended:
                raise await self.ended()
            cancel = self._cancel = CancelToken()
            work = self._working = asyncio.create_task(self._work(prompt, cancel), name="maverick-api-turn")
            try:
                await asyncio.wait({work})
            except asyncio.CancelledError:
                cancel.cancel("nobody waits for it any more")
                await asyncio.wait({work})
                return replace(work.result(), is_cut=True)
            finally:
                self._cancel = self._working = None
            return work.result()

    def _words_between(self) -> str:
        words = said_meanwhile(self.between())
        if words:  # whatever becomes of the answer, they are in the history
            self.taken()
        return words

    async def _work(self, prompt: str, cancel: CancelToken) -> Answered:
        telling = self._telling = Telling(self._agent, self._listener, self._definition.model.model)
        telling.begin()
        shown, self._shown = self._shown, ()
        executor = AgentExecutor(
            telling,
            self._tools,
            agents=self._agents,
            approve=lambda tool, call: self._approve(tool, call, cancel),
            between=self._words_between,
            call_ids=self._calls,
        )
        try:
            result = await executor.execute(
                self._definition,
                inputs={TASK: prompt},
                cancel=cancel,
                on_activity=telling.take,
                history=self._history,
                images=shown,
            )
        except Exception as error:  # becomes the failure of the answer
            wrapped = error if isinstance(error, AgentError) else AgentError(str(error), kind="invalid")
            return Answered(error=telling.heard.failure(copy.copy(wrapped)))
        self._history = result.messages
        telling.end(result)
        metrics, ended = result.metrics, result.terminate_reason
        return Answered(
            usage_of(metrics),
            steps=telling.steps or result.turn_count,
            api_ms=round(metrics.model_ms),
            is_estimate=metrics.cost_usd is None,
            is_cut=ended is TerminateReason.CANCELLED,
            error=_failure(result, telling),
            text=result.raw_content,
            output=to_jsonable_python(result.output) if result.output_valid else None,
        )

    # -- control --------------------------------------------------------------------------------------------------

    async def interrupt(self) -> None:
        """Stop the running turn; what it said so far is kept."""
        if self._cancel is not None:
            self._cancel.cancel("it was interrupted")

    async def stop_call(self, call: str, tool: str) -> str:
        """Stop one call, or one subagent: the model is told so, and goes on."""
        return "" if self._cancel is not None and self._cancel.cancel_call(call) else f"{tool} does not run now."

    async def compact(self, wishes: str = "") -> Answered:
        """Refused: nothing sums this conversation up."""
        raise cannot_compact()

    async def clear(self) -> bool:
        """Forget the conversation."""
        async with self._free:
            self._history = ()
        return True

    async def set_model(self, model: str | None) -> None:
        """Use another model from the next request on; None for the agent's own, from the next prompt on."""
        if self._telling is not None:
            self._telling.other_model = "" if model is None else model_id(model)
        config = self._definition.model.model_copy(update={"model": None if model is None else model_id(model)})
        self._definition = self._definition.model_copy(update={"model": config})

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Change what asks first; a mode wider than the documented default is refused."""
        require_mode(mode)
        self._chosen_mode = mode

    @property
    def _mode(self) -> str:
        return narrower(self._widest_mode(), self._chosen_mode)

    def _mode_in(self, called: Sequence[str]) -> str:
        """The mode for an agent that was called so: no wider than that of any on the way to it."""
        return reduce(lambda mode, one: narrower(self._mode_of.get(one, ""), mode), called, self._mode)

    def _why_it_only_looks(self, called: Sequence[str]) -> str:
        """Why an agent that was called so may do nothing but read; empty if it may. Nobody asks in the name of one that
        is not to ask.
        """
        if self._mode_in(called) == "plan":
            return PLANNING
        return NOBODY if any(self._mode_of.get(one) == "dontAsk" for one in called) else ""

    async def _approve(self, tool: Tool, call: ToolCall, cancel: CancelToken) -> Verdict:
        """What the judge says: of our file tools by their names, and of all others by what they say of themselves."""
        is_ours, is_read_only = tool.name in API_FILE_TOOLS, bool(getattr(tool, "is_read_only", False))
        called = _called.get()
        if not is_read_only and (why := self._why_it_only_looks(called)):
            return Verdict(why)
        # A tool of the agent's own may be called as one of the CLI is, but is none. Those of servers are called alike.
        name = tool.name if is_ours or ToolRule(tool.name).is_mcp else f"{OWN}{tool.name}"
        # Who makes the call may do what is allowed to it, and nothing that is forbidden to those who have called it.
        *callers, own = self._standing, *(self._standing_of[one] for one in called)
        judge = Judge(
            [name],
            self._cwd,
            person=self._listener.ask is not None,
            is_harmless=lambda _: isinstance(tool, AgentTool),  # each call of that one is judged by itself
            only_reads=lambda _: is_read_only and not is_ours,
            git_starts=started_by_settings,
            started=self._started,
            own_commands=self._own_commands,
            environment=self._environment,
            standing=lambda: own().held_with([one() for one in callers]),
        )
        if isinstance(tool, AgentTool):  # what it calls is asked about in tasks that begin in this one
            _called.set((*called, tool.name))
        mode = self._mode_in(called)
        whose = called[-1] if called else ""
        question = ToolQuestion(call.tool_name, dict(call.arguments), call.id, subagent=whose, ruled_as=whose)
        permission = await permit(
            judge,
            question,
            self._listener,
            mode=mode,
            judged_as=name,
            why_not_unasked=lambda: "" if is_read_only else self._why_it_only_looks(called),
        )
        if permission.is_granted:
            # The tool's code may ask other agents.
            act_in(lambda: "plan" if self._why_it_only_looks(called) else self._mode_in(called))
            return Verdict(arguments=permission.arguments)
        if permission.ends_turn:
            cancel.cancel("it was interrupted")
        why = NOBODY if mode == "dontAsk" else permission.reason
        return Verdict(why or "The user does not want this call.")


def _failure(result: ExecutionResult[Any], telling: Telling) -> AgentError | None:
    """Why the answer is none; where its stream was whole, the error is told as it is."""
    ended = result.terminate_reason
    if result.output_valid is False and ended is TerminateReason.COMPLETE:
        wrong = "; ".join(result.output_errors)
        return AgentError(f"The answer does not fit what it must be: {wrong}.", hint="Ask again.")
    if ended in (TerminateReason.COMPLETE, TerminateReason.CANCELLED):
        return None
    if ended in (TerminateReason.BUDGET, TerminateReason.MAX_TURNS):
        return result.error or AgentError("The agent has reached a limit.")
    return telling.heard.failure(result.error or AgentError(f"The agent ended by {ended.value}."))

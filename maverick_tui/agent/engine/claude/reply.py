"""Reply: what comes for one prompt. Messages are fed in as they come and read out at the reader's own pace."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from claude_agent_sdk import Message

from maverick_tui.agent.engine.claude.failures import is_interruption, result_failure
from maverick_tui.agent.record import Record
from maverick_tui.agent.streaming import streaming_error
from maverick_tui.exceptions import AgentError, ProcessError, TimeoutError
from maverick_tui.usage import Usage


class Reply:
    """Takes what comes for one prompt, and hands it on; a slow reader never holds up the CLI's pipe.

    The reader takes every message from `unread`, and then finds at most one `failure`. A stream that is silent for
    `timeout` seconds fails; while a tool runs, or `is_waiting` says that a person is asked, silence does not count.
    """

    def __init__(
        self,
        *,
        timeout: float | None,
        before: Usage | None = None,
        keeps_messages: bool = True,
        is_waiting: Callable[[], bool] = lambda: False,
        stderr: Callable[[], str] = lambda: "",
    ) -> None:
        self.record = Record(before, keeps_messages=keeps_messages)
        self.is_ended = False
        self.failure: AgentError | None = None
        self.unread: deque[Message] = deque()
        self._reader: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._is_waiting = is_waiting
        self._stderr = stderr
        self._heard = self._loop.time()
        self._watch: asyncio.TimerHandle | None = None
        if timeout is not None:
            self._watch = self._loop.call_later(timeout, self._check_silence)

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody ended the turn on purpose."""
        return self.record.result is not None and is_interruption(self.record.result.terminal_reason)

    def feed(self, message: Message) -> None:
        """Take the next message; never blocks."""
        if self.is_ended:
            return
        self._heard = self._loop.time()
        self.record.add(message)
        self.unread.append(message)
        self._wake()

    def touch(self) -> None:
        """Something came, though not for this turn: the CLI is alive."""
        self._heard = self._loop.time()

    def end(self, error: AgentError | None = None) -> None:
        """No more will come. What a result message has reported counts before the error that followed it."""
        if self.is_ended:
            return
        self.is_ended = True
        if self._watch is not None:
            self._watch.cancel()
        record = self.record
        result = record.failed_result or record.result
        reported = result_failure(result, record.api_error, self._stderr()) if result else None
        if reported is not None and error is not None:
            reported.__cause__ = error.__cause__ or error
        cause = reported or error
        if cause is None and record.result is None:
            cause = ProcessError("The stream ended without a result.", hint="Run the agent again.")
        if cause is not None:
            self.failure = streaming_error(cause, record.messages, record.text) if record.has_content else cause
        self._wake()

    async def arrived(self) -> bool:
        """Wait until something is in `unread`; False once everything has been read and no more will come."""
        while not self.unread:
            if self.is_ended:
                return False
            self._reader = self._loop.create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return True

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def _check_silence(self) -> None:
        assert self._timeout is not None
        now = self._loop.time()
        if self.record.is_in_tool or self._is_waiting():
            self._heard = now
        left = self._heard + self._timeout - now
        if left > 0:
            self._watch = self._loop.call_later(left, self._check_silence)
            return
        self.end(
            TimeoutError(
                f"Nothing came from the model for {self._timeout:g} s.",
                hint="Check the network and the endpoint, raise the agent's timeout, or run the prompt again.",
            )
        )

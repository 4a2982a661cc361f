"""ClaudeAgent: the Messages API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Self

from maverick_tui.exceptions import AgentError, MalformedResponseError, NetworkError, TimeoutError
from maverick_tui.executor.model.config import AgentConfig
from maverick_tui.executor.model.endpoint import ask, ask_for_events, make_client
from maverick_tui.executor.model.failures import RefusalError, StatusError, ours, with_retries
from maverick_tui.executor.model.messages import Agent, Request, Response, is_forced
from maverick_tui.executor.model.tokens import shared_out
from maverick_tui.executor.model.wire import AnswerReader, message_blocks, system_blocks, tool_blocks, tool_choice_block
from maverick_tui.executor.settings import wrong_with_headers, wrong_with_key, wrong_with_proxies, wrong_with_url
from maverick_tui.inert import inert
from maverick_tui.masking.redact import conceal
from maverick_tui.threads import in_thread
from maverick_tui.usage import MOST_TOKENS

if TYPE_CHECKING:
    from httpx2 import AsyncClient

log = logging.getLogger(__name__)

COUNT_TIMEOUT = 10.0
_MESSAGES = "/v1/messages"
_COUNT = "/v1/messages/count_tokens"


class ClaudeAgent:
    """Asks once for each `run`, streaming; failures that may pass are retried as its configuration says."""

    provider_name = "anthropic"
    tools_overhead = 700
    """Where there are tools, the endpoint adds a prompt of its own: 300 to 700 tokens, depending on the model."""

    def __init__(self, config: AgentConfig) -> None:
        self.config = config
        self.model = config.model
        self.max_tokens = config.max_tokens
        self._client: AsyncClient | None = None
        self._home: asyncio.AbstractEventLoop | None = None
        self._lease: AsyncGenerator[None, None] | None = None
        self._uncounted: set[str] = set()
        """Models that the endpoint cannot count tokens for: it does not know the model, or does not count at all."""

    async def run(self, request: Request) -> Response:
        """Ask, and wait for the whole answer."""
        policy = request.config.retry or self.config.retry
        return await with_retries(policy, lambda: self._once(request), lambda *_: None)

    async def _once(self, request: Request) -> Response:
        seconds = request.config.timeout or self.config.request_timeout
        client = await self._opened()  # before the clock runs: what it imports takes a while on a busy machine
        try:
            async with asyncio.timeout(seconds) as limit:
                return await self._ask(client, request)
        except asyncio.TimeoutError as error:
            if not limit.expired():
                raise
            raise TimeoutError(f"The model did not finish its answer within {seconds:g} s.") from error

    async def _ask(self, client: AsyncClient, request: Request) -> Response:
        known = {call.id for one in request.messages for call in one.tool_calls}
        reader = AnswerReader(request.listen, known, request.own_id)
        try:
            body = {**self._body(request), "stream": True}
            async with aclosing(ask_for_events(client, _MESSAGES, body, request.headers)) as events:
                async for event in events:
                    reader.feed(event)
        except AgentError as error:
            ours(error, secrets=self.config.secrets)
            raise
        except Exception as error:
            raise ours(error, secrets=self.config.secrets) from error
        if not reader.is_whole:
            raise NetworkError("The endpoint ended the stream before the answer was complete.")
        response = reader.response
        if reader.is_refused:
            raise RefusalError("The model refused to answer.")
        if reader.strange_stop:
            raise AgentError(
                f"The model stopped before its answer was complete: {inert(reader.strange_stop)[:80]}.",
                hint="What it has said is kept; ask again.",
            )
        if not response.content and not response.tool_calls and not response.thoughts and not response.usage.total:
            raise MalformedResponseError("The endpoint sent an empty answer.")
        return response

    async def count_tokens(self, request: Request) -> int | None:
        """How many tokens the model would read, as the endpoint counts them; None if it cannot count."""
        model = request.config.model or self.config.model
        if model in self._uncounted:
            return None
        try:
            client = await self._opened()
            async with asyncio.timeout(COUNT_TIMEOUT):
                answer = await ask(client, _COUNT, self._said(request), request.headers)
        except Exception as error:  # an estimate takes its place, and the request itself will show what is wrong
            if isinstance(error, StatusError) and error.status in (404, 405, 501):
                self._uncounted.add(model)
            log.debug("The endpoint does not count tokens: %s", type(error).__name__)
            return None
        count = answer.get("input_tokens") if isinstance(answer, dict) else None
        return count if type(count) is int and 0 < count <= MOST_TOKENS else None

    def _said(self, request: Request) -> dict[str, Any]:
        """What the model is given to read."""
        said: dict[str, Any] = {
            "model": request.config.model or self.config.model,
            "messages": message_blocks(request.messages, cache=self.config.cache),
        }
        if system := system_blocks(request.system, cache=self.config.cache):
            said["system"] = system
        if request.tools:
            said["tools"] = tool_blocks(request.tools)
        return said

    def _body(self, request: Request) -> dict[str, Any]:
        wanted, config = request.config, self.config
        thinking = config.thinking if wanted.thinking is None else wanted.thinking
        if thinking and request.tools and is_forced(wanted.tool_choice):
            raise AgentError(
                "Thinking cannot be combined with a forced tool call.",
                kind="invalid",
                hint="Set thinking to 0, or tool_choice to auto.",
            )
        if thinking and wanted.temperature not in (None, 1.0):
            raise AgentError(
                f"A temperature of {wanted.temperature:g} cannot be combined with thinking.",
                kind="invalid",
                hint="Set thinking to 0, or leave the temperature unset.",
            )
        max_tokens, thinking = shared_out(thinking, wanted.max_tokens, config.max_tokens, wanted.most_tokens)
        temperature = config.temperature if wanted.temperature is None else wanted.temperature
        body = {**self._said(request), "max_tokens": max_tokens}
        if wanted.tool_choice is not None and request.tools:
            body["tool_choice"] = tool_choice_block(wanted.tool_choice)
        if wanted.stop_sequences:
            body["stop_sequences"] = list(wanted.stop_sequences)
        if thinking:
            body["thinking"] = {"type": "enabled", "budget_tokens": thinking}
        elif temperature is not None and wanted.top_p is None:
            body["temperature"] = temperature
        if wanted.top_p is not None:
            body["top_p"] = wanted.top_p
        return body

    # -- the client -------------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether it can ask at once, in the running event loop."""
        return self._client is not None and self._home is asyncio.get_running_loop()

    async def get_ready(self) -> None:
        """Do what takes a while on first use."""
        await self._opened()

    async def _opened(self) -> AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._home is not loop:  # connections only work in their own event loop
            made = await in_thread(self._make)  # the first one takes a while, and the loop need not wait
            if self._client is None or self._home is not loop:
                self._client, self._home = made, loop
                self._lease = _open_until_the_loop_ends(made)
                await anext(self._lease)
        return self._client

    def _make(self) -> AsyncClient:
        conceal(self.config.secrets)
        key, token = self.config.credentials
        if not key and not token:
            raise AgentError(
                "There are no credentials for the model API.",
                kind="invalid",
                hint="Set ANTHROPIC_API_KEY, then try again.",
            )
        base_url, headers = self.config.address, self.config.all_headers
        for name, wrong in (
            ("ANTHROPIC_API_KEY" if key else "ANTHROPIC_AUTH_TOKEN", wrong_with_key(key or token)),
            ("ANTHROPIC_BASE_URL", wrong_with_url(base_url) if base_url else ""),
            ("ANTHROPIC_CUSTOM_HEADERS", wrong_with_headers(headers)),
            wrong_with_proxies(),
        ):
            if wrong:
                raise AgentError(f"{name} cannot be used: {wrong}.", kind="invalid", hint=f"Correct {name}.")
        return make_client(base_url, key or token, headers, self.config.idle_timeout)

    async def aclose(self) -> None:
        """Close the connections; the next call opens new ones."""
        lease, self._client, self._lease = self._lease, None, None
        if lease is not None and self._home is asyncio.get_running_loop():
            await lease.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def _open_until_the_loop_ends(client: AsyncClient) -> AsyncGenerator[None, None]:
    """Close the client when this is closed, as `asyncio.run` does with every generator that its loop leaves behind."""
    try:
        yield
    finally:
        await client.aclose()


def create_agent(config: AgentConfig | None = None) -> Agent:
    """A model that can be asked. It is also an async context; leaving it, or `aclose()`, closes its connections."""
    return ClaudeAgent(config or AgentConfig())

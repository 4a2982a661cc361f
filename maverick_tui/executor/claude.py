"""ClaudeAgent: the Messages API through the official SDK. Not exported: `create_agent` makes one."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import sys
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, Self

from maverick_tui.exceptions import AgentError, MalformedResponseError, NetworkError, TimeoutError
from maverick_tui.executor.endpoint import wrong_with_headers, wrong_with_key, wrong_with_url
from maverick_tui.executor.failures import RefusalError, ours
from maverick_tui.executor.messages import Request, Response, is_forced
from maverick_tui.executor.provider import AgentConfig
from maverick_tui.executor.retry import with_retries
from maverick_tui.executor.room import shared_out
from maverick_tui.executor.threads import in_thread
from maverick_tui.executor.wire import AnswerReader, message_blocks, system_blocks, tool_blocks, tool_choice_block
from maverick_tui.inert import inert
from maverick_tui.masking.redact import conceal
from maverick_tui.masking.settings import LEAST_GIVEN, custom_headers, given_to_server, secret_variables

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

log = logging.getLogger(__name__)

CONNECT_TIMEOUT = 20.0
COUNT_TIMEOUT = 10.0
_COUNT = "/v1/messages/count_tokens"
_LAST_IMPORTED = "anthropic.resources.messages"
"""What the SDK reads when it is first used; it brings everything else."""


class ClaudeAgent:
    """Asks once for each `run`, streaming; what fails in passing is tried again, as its configuration says."""

    provider_name = "anthropic"
    tools_overhead = 700
    """The endpoint adds a prompt of its own where there are tools: 300 to 700 tokens, by the model."""

    def __init__(self, config: AgentConfig) -> None:
        self.config = config
        self.model = config.model
        self.max_tokens = config.max_tokens
        self._client: AsyncAnthropic | None = None
        self._home: asyncio.AbstractEventLoop | None = None
        self._lease: AsyncGenerator[None, None] | None = None
        self._uncounted: set[str] = set()
        """Models that the endpoint does not count for: there is no such model, or nothing there that counts."""

    async def run(self, request: Request) -> Response:
        """Ask, and wait for the whole answer."""
        policy = request.config.retry or self.config.retry
        return await with_retries(policy, lambda: self._once(request), lambda *_: None)

    async def _once(self, request: Request) -> Response:
        seconds = request.config.timeout or self.config.request_timeout
        client = await self._opened()  # before the clock runs: the SDK takes seconds to import on a busy machine
        try:
            async with asyncio.timeout(seconds) as limit:
                return await self._ask(client, request)
        except asyncio.TimeoutError as error:
            if not limit.expired():
                raise
            raise TimeoutError(f"The model did not finish its answer within {seconds:g} s.") from error

    async def _ask(self, client: AsyncAnthropic, request: Request) -> Response:
        import anthropic  # it is there by now

        known = {call.id for one in request.messages for call in one.tool_calls}
        reader = AnswerReader(request.listen, known, request.own_id)
        try:
            # Not `messages.create`: it warns on the terminal of models that grow old, makes models of all events, and
            # copies the whole conversation each time.
            stream = await client.post(
                "/v1/messages",
                cast_to=object,
                content=_as_json({**self._body(request), "stream": True}),
                options={"headers": {"content-type": "application/json", **request.headers}},
                stream=True,
                stream_cls=anthropic.AsyncStream[object],
            )
            async with stream:
                async for event in stream:
                    reader.feed(event)
        except AgentError as error:
            ours(error, secrets=_secrets(self.config))
            raise
        except Exception as error:
            raise ours(error, secrets=_secrets(self.config)) from error
        if not reader.is_whole:
            raise NetworkError("The endpoint ended the stream before the answer was complete.")
        response = reader.response
        if reader.is_refused:
            raise RefusalError("The model refuses to answer this.")
        if reader.strange_stop:
            raise AgentError(
                f"The model stopped before its answer was complete: {inert(reader.strange_stop)[:80]}.",
                hint="What it has said is kept; ask again.",
            )
        if not response.content and not response.tool_calls and not response.thoughts and not response.usage.total:
            raise MalformedResponseError("The endpoint sent an answer without anything in it.")
        return response

    async def count_tokens(self, request: Request) -> int | None:
        """How many tokens the model would read, as the endpoint counts; None if it does not."""
        model = request.config.model or self.config.model
        if model in self._uncounted:
            return None
        try:
            client = await self._opened()
            async with asyncio.timeout(COUNT_TIMEOUT):
                answer = await client.post(
                    _COUNT,
                    cast_to=object,
                    content=_as_json(self._said(request)),
                    options={"headers": {"content-type": "application/json", **request.headers}},
                )
        except Exception as error:  # an estimate takes its place, and the request itself will tell what is wrong
            if getattr(error, "status_code", None) in (404, 405, 501):
                self._uncounted.add(model)
            log.debug("The endpoint does not count tokens: %s", type(error).__name__)
            return None
        count = answer.get("input_tokens") if isinstance(answer, dict) else None
        return count if type(count) is int and count > 0 else None

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
                "A model that is to think cannot be made to call a tool.",
                kind="invalid",
                hint="Set thinking to 0, or tool_choice to auto.",
            )
        if thinking and wanted.temperature not in (None, 1.0):
            raise AgentError(
                f"The temperature {wanted.temperature:g} cannot be set for a model that is to think.",
                kind="invalid",
                hint="Set thinking to 0, or leave the temperature as it is.",
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
        """Whether it can ask at once, in the loop that runs."""
        return self._client is not None and self._home is asyncio.get_running_loop()

    async def get_ready(self) -> None:
        """Do what takes a while when it is first asked."""
        await self._opened()

    async def _opened(self) -> AsyncAnthropic:
        if _LAST_IMPORTED not in sys.modules:  # it takes a second, which the loop need not wait for
            await in_thread(importlib.import_module, _LAST_IMPORTED)
        loop = asyncio.get_running_loop()
        if self._client is None or self._home is not loop:  # connections are of use in their own event loop only
            made = await in_thread(self._make)  # it reads all certificates
            if self._client is None or self._home is not loop:
                self._client, self._home = made, loop
                self._lease = _open_until_the_loop_ends(made)
                await anext(self._lease)
        return self._client

    def _make(self) -> AsyncAnthropic:
        import anthropic

        conceal(_secrets(self.config))
        key, token = self.config.credentials
        if not key and not token:
            raise AgentError(
                "There are no credentials for the model API.",
                kind="invalid",
                hint="Set ANTHROPIC_API_KEY, then try again.",
            )
        base_url, headers = _base_url(self.config), _headers(self.config)
        for name, wrong in (
            ("ANTHROPIC_API_KEY" if key else "ANTHROPIC_AUTH_TOKEN", wrong_with_key(key or token)),
            ("ANTHROPIC_BASE_URL", wrong_with_url(base_url) if base_url else ""),
            ("ANTHROPIC_CUSTOM_HEADERS", wrong_with_headers(headers)),
        ):
            if wrong:
                raise AgentError(f"{name} cannot be used: {wrong}.", kind="invalid", hint=f"Correct {name}.")
        idle = self.config.idle_timeout
        timeout = anthropic.Timeout(idle, connect=min(CONNECT_TIMEOUT, idle))
        return anthropic.AsyncAnthropic(
            api_key=key or None,
            auth_token=token or None,
            base_url=base_url or None,
            timeout=timeout,
            max_retries=0,
            # Not the SDK's own: forgotten, that one closes itself in whichever loop runs then, and fails unheard.
            http_client=anthropic.DefaultAsyncHttpxClient(timeout=timeout),
            default_headers=headers,
        )

    async def aclose(self) -> None:
        """Give up the connections; the next call opens new ones."""
        lease, self._client, self._lease = self._lease, None, None
        if lease is not None and self._home is asyncio.get_running_loop():
            await lease.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def _open_until_the_loop_ends(client: AsyncAnthropic) -> AsyncGenerator[None, None]:
    """Close the client when this is closed: `asyncio.run` does so with every generator that its loop leaves behind."""
    try:
        yield
    finally:
        await client.close()


def _as_json(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(errors="replace")


def _base_url(config: AgentConfig) -> str:
    return config.base_url or config.variable("ANTHROPIC_BASE_URL")


def _headers(config: AgentConfig) -> dict[str, str]:
    """Those of the variable, and those of the configuration."""
    return {**custom_headers(config.variable("ANTHROPIC_CUSTOM_HEADERS")), **config.headers}


def _secrets(config: AgentConfig) -> set[str]:
    """What an endpoint may repeat, but nobody may read: keys, headers, and variables that are named like secrets."""
    found = given_to_server({"headers": _headers(config), "url": _base_url(config)})
    found |= {value for value in secret_variables(config.env) if len(value) >= LEAST_GIVEN}
    return found | set(filter(None, config.credentials))

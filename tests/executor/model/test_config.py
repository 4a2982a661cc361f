"""Settings that cannot be are told as such, once and without their secrets; so is a request that is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.executor import AgentConfig, Message, Request, TerminateReason, create_agent
from maverick_tui.executor.model.failures import StatusError, ours
from maverick_tui.executor.settings import wrong_with_proxies
from maverick_tui.offline.script import HttpFault
from maverick_tui.offline.server import OfflineServer
from tests.executor.support import QUICK, Watched, define, watch
from tests.support.cases import each
from tests.support.model import as_script, say

KEY = "not-a-real-key"
NOWHERE = "http://127.0.0.1:9"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"api_key": "geheim\nschluessel"}, "line breaks"),
    ({"api_key": "geheimschluessel\n"}, "begins or ends with"),
    ({"api_key": "geheim\u200bschluessel"}, "characters that no key has"),
    ({"base_url": "127.0.0.1:9"}, "does not begin with http"),
    ({"base_url": "localhost"}, "does not begin with http"),
    ({"base_url": "ftp://localhost"}, "does not begin with http"),
    ({"base_url": "http://"}, "does not begin with http"),
    ({"base_url": "http://localhost:port"}, "not an address"),
    ({"base_url": "https://me:geheim/x@localhost"}, "not an address"),
    ({"base_url": "http://local host"}, "spaces"),
    ({"headers": {"x-team": "blue\r\nx-other: geheimschluessel"}}, "x-team"),
    ({"headers": {"x team": "blue"}}, "x team"),
]
VARIABLES = {"api_key": "ANTHROPIC_API_KEY", "base_url": "ANTHROPIC_BASE_URL"}


async def told(config: AgentConfig, **fields: Any) -> Watched:
    agent: Any = create_agent(config)
    async with agent:
        return await watch(agent, define(run={"retry": QUICK}, **fields))


@pytest.mark.parametrize(("wrong", "words"), WRONG)
async def test_a_setting_that_cannot_be_is_no_failure_of_the_network(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as told_of:
        AgentConfig.checked(**wrong)
    assert "geheim" not in str(told_of.value)
    with pytest.raises(ValidationError) as refused:
        AgentConfig(**wrong)
    assert "geheim" not in str(refused.value)
    [(name, value)] = wrong.items()
    if name not in VARIABLES:
        return
    watched = await told(
        AgentConfig(env={"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": NOWHERE, VARIABLES[name]: value})
    )
    error = watched.result.error
    assert error is not None
    assert (watched.result.terminate_reason, error.kind) == (TerminateReason.ERROR, "invalid")
    assert VARIABLES[name] in error.message
    assert VARIABLES[name] in error.hint
    assert "geheim" not in str(error)
    assert watched.result.metrics.retries == 0


async def test_a_proxy_that_cannot_be_used_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:geheim#x@proxy.example:8080")
    error = (await told(AgentConfig(env={"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": NOWHERE}))).result.error
    assert error is not None
    assert (error.kind, error.hint) == ("invalid", "Correct HTTPS_PROXY.")
    assert error.message.startswith("HTTPS_PROXY cannot be used: ")
    assert "geheim" not in str(error)


@each(
    ("name", "value", "words"),
    [
        ("HTTPS_PROXY", "http://me:geheim#x@proxy.example:8080", "%23"),
        ("ALL_PROXY", "me:12/geheim@proxy.example:8080", "%2F"),
        ("http_proxy", "http://me:geheim@proxy.example:port", "not an address"),
        ("HTTP_PROXY", "gopher://me:geheim@proxy.example", "does not begin with http"),
        ("HTTP_PROXY", "http://me:geheim @proxy.example", "spaces"),
        ("all_proxy", "socks5://me:geheim@proxy.example:1080", "socksio"),
        ("HTTPS_PROXY", "http://me:a[b]c@d@proxy.example:8080", ""),
        ("https_proxy", "proxy.example:3128", ""),
    ],
)
def test_what_is_wrong_with_a_proxy_is_told(name: str, value: str, words: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(name, value)
        variable, wrong = wrong_with_proxies()
        assert variable == (name if words else "")
        assert words in wrong
        assert "geheim" not in wrong
        patch.setenv("NO_PROXY", "localhost, *")
        assert wrong_with_proxies() == ("", "")


async def test_a_header_of_a_request_that_cannot_be_sent_is_told_without_it() -> None:
    async with OfflineServer(as_script(say("never"))) as server:
        agent: Any = create_agent(AgentConfig.checked(api_key=KEY, base_url=server.url))
        async with agent:
            with pytest.raises(AgentError, match="cannot be asked") as refused:
                await agent.run(Request((Message.user("Hi."),), headers={"x-team": "geheim\n"}))
    assert refused.value.kind == "invalid"
    assert "geheim" not in str(refused.value)


@pytest.mark.parametrize("kind", ["api_error", "overloaded_error", "rate_limit_error", "timeout_error"])
def test_the_body_says_what_it_is_only_where_the_status_does_not(kind: str) -> None:
    def failed(status: int) -> AgentError:
        body = {"type": "error", "error": {"type": kind, "message": "No."}}
        return ours(StatusError(status, json.dumps(body), {}))

    assert failed(400).kind == "invalid"
    assert failed(200).is_retryable, "a stream that has begun well"
    assert failed(529).is_retryable


async def test_a_request_that_is_refused_is_not_sent_again_whatever_the_body_calls_it() -> None:
    fault = HttpFault(kind="http", status=400, type="api_error")
    async with OfflineServer(as_script(say("never", fault=fault))) as server:
        watched = await told(AgentConfig.checked(api_key=KEY, base_url=server.url))
    assert len(server.app.requests) == 1
    error = watched.result.error
    assert error is not None
    assert (error.kind, watched.result.metrics.retries) == ("invalid", 0)

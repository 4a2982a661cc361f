"""Checks of the way to a model: its credentials, and whether the endpoint answers. No token is spent."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from maverick_tui.credentials import KEY, PROVIDERS, TOKEN, credentials_in, is_logged_in
from maverick_tui.doctor.findings import Finding, Situation, State, in_background

if TYPE_CHECKING:
    from maverick_tui.executor.model.config import AgentConfig

SECONDS = 4.0
"""How long the endpoint may take to answer."""
_LOOK_UP = 1.0
"""How long its name may be looked up beyond that."""
_VENDOR = "https://api.anthropic.com"
_ASKED = "/v1/models?limit=1"
"""Costs nothing, and tells whether a key is good."""
_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL)
_NETWORK = "Check the network; if there is a proxy, set HTTPS_PROXY to it."
_ADDRESS = "Check ANTHROPIC_BASE_URL, and that somebody listens there."


def check_credentials(situation: Situation) -> Iterator[Finding]:
    """Which kind a model would be asked with, by the name of its variable."""
    from maverick_tui.executor.settings import wrong_with_key

    variables = _variables(situation)
    used = credentials_in(variables)
    details = {"used": used or (["login"] if is_logged_in() else [])}
    for name in used:
        if name not in PROVIDERS and (wrong := wrong_with_key(variables[name])):
            yield Finding("Credentials", "wrong", f"{name} cannot be used: {wrong}", f"Set {name} again.", details)
            return
    if {KEY, TOKEN} <= set(used):
        fact = f"both {KEY} and {TOKEN} are set; the CLI sends both, the engine api the first"
        yield Finding("Credentials", "warning", fact, "Unset the one that you do not mean.", details)
    elif used and used[0] in PROVIDERS:
        fact = f"those of {PROVIDERS[used[0]]} ({used[0]}), for agents on the CLI"
        yield Finding("Credentials", "fine", fact, details=details)
    elif used:
        only = "" if used[0] in (KEY, TOKEN) else ", for agents on the CLI"
        yield Finding("Credentials", "fine", f"{used[0]}{_where(situation, used[0])}{only}", details=details)
    elif details["used"]:
        yield Finding("Credentials", "fine", "the login of Claude Code, for agents on the CLI", details=details)
    elif situation.trouble is not None:
        yield Finding("Credentials", "unknown", "none in the environment; the settings cannot be used", details=details)
    else:
        hint = f"Set {KEY}, or log in with the claude command. Without, there is the demo."
        yield Finding("Credentials", "wrong", "none", hint, details)


def check_endpoint(situation: Situation) -> Iterator[Finding]:
    """Whether it can be reached, and takes the key if there is one."""
    from maverick_tui.executor.model.config import AgentConfig
    from maverick_tui.executor.settings import wrong_with_headers, wrong_with_proxies, wrong_with_url

    variables = _variables(situation)
    if provider := next((PROVIDERS[name] for name in credentials_in(variables) if name in PROVIDERS), ""):
        yield Finding("Endpoint", "unknown", f"not asked: {provider} has its own")
        return
    config = AgentConfig(env=situation.settings.env)
    if wrong := wrong_with_url(config.address) if config.address else "":
        hint = "Correct ANTHROPIC_BASE_URL, or unset it."
        yield Finding("Endpoint", "wrong", f"ANTHROPIC_BASE_URL cannot be used: {wrong}", hint)
        return
    if wrong := wrong_with_headers(config.all_headers):
        fact = f"ANTHROPIC_CUSTOM_HEADERS cannot be used: {wrong}"
        yield Finding("Endpoint", "wrong", fact, "Correct ANTHROPIC_CUSTOM_HEADERS.")
        return
    name, wrong = wrong_with_proxies()
    if wrong:
        yield Finding("Endpoint", "wrong", f"{name} cannot be used: {wrong}", f"Correct {name}, or unset it.")
        return
    yield _asked(config)


def _asked(config: AgentConfig) -> Finding:
    import httpx2  # before the clock runs

    address = config.address or _VENDOR
    where = _place(address)
    details: dict[str, object] = {"address": where}
    try:
        # In a thread of its own, for no time limit of the library counts while a name is looked up.
        answer = in_background(lambda: _ask(address, config)).result(SECONDS + _LOOK_UP)
    except (TimeoutError, httpx2.TimeoutException):
        return Finding("Endpoint", "wrong", f"{where} does not answer within {SECONDS:g} s", _NETWORK, details)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        return Finding("Endpoint", "wrong", *_failure(error, where), details)
    return Finding("Endpoint", *_judged(answer, where), {**details, **answer._asdict()})


class _Answer(NamedTuple):
    status: int
    milliseconds: int
    is_page: bool
    has_key: bool


def _ask(address: str, config: AgentConfig) -> _Answer:
    import httpx2

    key, token = config.credentials
    headers = {"anthropic-version": "2023-06-01", **config.all_headers}
    headers |= {"x-api-key": key} if key else {}
    headers |= {"authorization": f"Bearer {token}"} if token else {}
    with httpx2.Client(timeout=SECONDS, follow_redirects=False) as client:  # a key is not carried elsewhere
        began = time.monotonic()
        with client.stream("GET", address.rstrip("/") + _ASKED, headers=headers) as response:  # its body may never end
            taken = round((time.monotonic() - began) * 1000)
            is_page = "html" in response.headers.get("content-type", "")
            return _Answer(response.status_code, taken, is_page, bool(key or token))


def _judged(answer: _Answer, where: str) -> tuple[State, str, str]:
    status = answer.status
    if status == 401 and answer.has_key:
        return "wrong", f"{where} refuses the key (401)", "Set another key: this one is not valid there."
    if 300 <= status < 400:
        return "wrong", f"{where} sends us elsewhere ({status})", "Set ANTHROPIC_BASE_URL to where it leads."
    if status >= 500:
        return "warning", f"{where} answers, but fails ({status})", "Wait a moment, then ask again."
    if answer.is_page:
        fact = f"{where} answers with a web page ({status}), not as a model API"
        return "warning", fact, "Log in to the network if it wants that, or correct ANTHROPIC_BASE_URL."
    return "fine", f"{where} answers after {answer.milliseconds} ms", ""


def _failure(error: Exception, where: str) -> tuple[str, str]:
    """What is wrong, and what to do."""
    causes = [*_causes(error)]
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return f"offline, or there is no such name: {where}", _NETWORK
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"{where} shows a certificate that is not trusted", "Set SSL_CERT_FILE to those of your network."
    numbers = {cause.errno for cause in causes if isinstance(cause, OSError)}
    if numbers & set(_NO_WAY):
        return f"offline: no way leads to {where}", _NETWORK
    if errno.ECONNREFUSED in numbers:
        return f"{where} refuses the connection", _ADDRESS
    return f"{where} cannot be asked: {type(error).__name__}: {error}", _NETWORK


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _place(address: str) -> str:
    """Where it is, without what may be a password."""
    parts = urlsplit(address)
    port = f":{parts.port}" if parts.port is not None else ""
    return f"{parts.scheme}://{parts.hostname}{port}"


def _variables(situation: Situation) -> Mapping[str, str]:
    """What agents are given: the settings win over the environment."""
    return {**os.environ, **situation.settings.env}


def _where(situation: Situation, name: str) -> str:
    return " (in the settings)" if situation.settings.env.get(name) else ""

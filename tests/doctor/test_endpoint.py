"""Credentials by their kind, and endpoints that answer, refuse, send elsewhere or say nothing: all on loopback."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.config import config_file
from maverick_tui.doctor import endpoint
from maverick_tui.doctor.endpoint import check_credentials, check_endpoint
from tests.doctor.situations import found

SECRET = "sk-ant-api03-not-a-real-one"


# -- credentials -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "state", "fact"),
    [
        (["ANTHROPIC_API_KEY"], "fine", "ANTHROPIC_API_KEY"),
        (["ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"], "fine", "ANTHROPIC_AUTH_TOKEN"),
        (["CLAUDE_CODE_OAUTH_TOKEN"], "fine", "CLAUDE_CODE_OAUTH_TOKEN, for agents on the CLI"),
        (["ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_BEDROCK"], "fine", "those of Amazon Bedrock"),
        (["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"], "warning", "both"),
        ([], "wrong", "none"),
    ],
)
def test_the_kind_that_would_be_used_is_told(
    names: list[str], state: str, fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in names:
        monkeypatch.setenv(name, "1" if "_USE_" in name else SECRET)
    told = found(check_credentials)
    assert told.state == state
    assert told.fact.startswith(fact)
    assert SECRET not in json.dumps(told.to_json())


def test_a_login_of_the_cli_counts(home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/.credentials.json").write_text("{}")
    assert found(check_credentials).fact.startswith("the login of Claude Code")


def test_a_key_in_the_settings_counts() -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text(f'[env]\nANTHROPIC_API_KEY = "{SECRET}"\n')
    assert found(check_credentials).fact == "ANTHROPIC_API_KEY (in the settings)"


def test_a_key_that_cannot_be_sent_is_named_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", f"{SECRET}\n")
    told = found(check_credentials)
    assert (told.state, told.hint) == ("wrong", "Set ANTHROPIC_API_KEY again.")
    assert SECRET not in told.fact


def test_settings_that_cannot_be_used_may_have_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_TIMEOUT", "soon")
    assert found(check_credentials).state == "unknown"


def test_a_proxy_that_cannot_be_used_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://me:hunter2#x@127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://models.example")
    told = found(check_endpoint)
    assert (told.state, told.hint) == ("wrong", "Correct HTTP_PROXY, or unset it.")
    assert "%23" in told.fact
    assert "hunter" not in told.fact


# -- the endpoint ------------------------------------------------------------------------------------------------------


class Served:
    """What the endpoint was asked."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []


Serve = Callable[..., Served]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """An endpoint that answers everything like this."""
    servers = []

    def start(status: int, **headers: str) -> Served:
        served = Served()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                served.paths.append(self.path)
                served.headers.append({name.lower(): value for name, value in self.headers.items()})
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://me:hunter2@127.0.0.1:{server.server_port}/gate/")
        return served

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "headers", "state", "fact"),
    [
        (200, {}, "fine", "answers after"),
        (404, {}, "fine", "answers after"),
        (401, {}, "wrong", "refuses the key (401)"),
        (302, {"location": "http://127.0.0.1:9/elsewhere"}, "wrong", "sends us elsewhere (302)"),
        (529, {}, "warning", "fails (529)"),
        (200, {"content_type": "text/html"}, "warning", "a web page"),
    ],
)
def test_an_answer_is_judged(
    status: int,
    headers: dict[str, str],
    state: str,
    fact: str,
    answers: Serve,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-team: blue")
    served = answers(status, **headers)
    told = found(check_endpoint)
    assert told.state == state, told
    assert fact in told.fact
    assert served.paths == ["/gate/v1/models?limit=1"]
    assert served.headers[0]["x-api-key"] == SECRET
    assert served.headers[0]["x-team"] == "blue"
    assert SECRET not in (shown := json.dumps(told.to_json()))
    assert "hunter2" not in shown


def test_without_a_key_a_refusal_shows_that_it_is_there(answers: Serve) -> None:
    answers(401)
    assert found(check_endpoint).state == "fine"


def test_a_provider_of_its_own_is_not_asked(answers: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    served = answers(200)
    monkeypatch.setenv("CLAUDE_CODE_USE_VERTEX", "1")
    assert found(check_endpoint).fact == "not asked: Google Vertex AI has its own"
    assert served.paths == []


def test_nobody_listens() -> None:
    told = found(check_endpoint)
    assert (told.state, told.fact) == ("wrong", "http://127.0.0.1:9 refuses the connection")
    assert "ANTHROPIC_BASE_URL" in told.hint


def test_somebody_listens_and_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        told = found(check_endpoint)
    assert told.state == "wrong"
    assert "does not answer within" in told.fact


def test_without_a_network_it_says_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://models.example")
    told = found(check_endpoint)
    assert (told.state, told.fact) == ("wrong", "offline, or there is no such name: https://models.example")


def test_a_name_that_is_looked_up_for_ever_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()

    def for_ever(*_: Any, **__: Any) -> list[Any]:
        is_over.wait(60)
        raise socket.gaierror(socket.EAI_AGAIN, "at last")

    monkeypatch.setattr(socket, "getaddrinfo", for_ever)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://models.example")
    for limit in ("SECONDS", "_LOOK_UP"):
        monkeypatch.setattr(endpoint, limit, 0.1)
    told = found(check_endpoint)
    is_over.set()
    assert "does not answer within" in told.fact


def test_an_address_that_is_none_is_said_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "me:hunter2@gate")
    told = found(check_endpoint)
    assert told.state == "wrong"
    assert "hunter2" not in told.fact

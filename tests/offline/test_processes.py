"""`maverick offline` as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.request
from functools import partial
from pathlib import Path

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.offline.processes import offline_process
from tests.support.command_line import command_line
from tests.support.processes import wait_until_gone
from tests.support.sampling import sampled

MAVERICK = [sys.executable, "-m", "maverick_tui"]
SCRIPT = "scenes: [{answers: [hello]}]\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.yaml"
    path.write_text(SCRIPT)
    return path


def ask(url: str) -> str:
    body = json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}).encode()
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/v1/messages", body, headers)) as response:
        return str(json.load(response)["content"][0]["text"])


@pytest.mark.parametrize("number", sampled([signal.SIGINT, signal.SIGTERM], 2))
def test_serve_prints_where_and_ends_when_told(number: signal.Signals, script: Path, mark: str) -> None:
    with subprocess.Popen(
        [*MAVERICK, "offline", "serve", "--script", script], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().rsplit(" at ", 1)[1].strip()
        assert url.startswith("http://127.0.0.1:")
        assert ask(url) == "hello"
        server.send_signal(number)
        assert server.wait(60) == 0


def test_a_strict_script_that_was_not_kept_to_is_a_failure(script: Path, mark: str) -> None:
    script.write_text("strict: true\n" + SCRIPT)
    done = subprocess.run(
        [*MAVERICK, "offline", "serve", "--script", script, "--until-eof"],
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "not used: answer 1 of scene 1" in done.stderr


async def test_a_process_serves_its_owner_and_ends_with_it(script: Path, mark: str) -> None:
    async with offline_process(script) as url:
        assert await asyncio.to_thread(ask, url) == "hello"
    assert wait_until_gone(mark) == {}


def test_it_ends_when_its_owner_is_killed(script: Path, mark: str) -> None:
    code = (
        "import asyncio, pathlib\n"
        "from maverick_tui.offline.processes import offline_process\n"
        "async def main():\n"
        f"    async with offline_process(pathlib.Path({str(script)!r})) as url:\n"
        "        print(url, flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "asyncio.run(main())"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline().startswith("http://")
        os.kill(owner.pid, signal.SIGKILL)
    assert wait_until_gone(mark) == {}


async def test_a_process_that_cannot_start_says_why(tmp_path: Path, mark: str) -> None:
    with pytest.raises(ConfigError, match=r"did not start.*missing\.yaml"):
        async with offline_process(tmp_path / "missing.yaml"):
            pytest.fail("there is nothing to serve")


def test_check_and_schema(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    offline = partial(command_line(monkeypatch, capsys), "offline")
    assert offline("check", str(script)).out.endswith("fine. 1 scene, 1 answer.\n")
    script.write_text("scenes:\n  - anwsers: [x]\n")
    wrong = offline("check", str(script))
    assert wrong.code == 1
    assert f"{script}:2: " in wrong.err
    assert "Did you mean 'answers'?" in wrong.err
    assert json.loads(offline("schema").out)["title"] == "Script"
    assert "missing.yaml" in offline("check", str(tmp_path / "missing.yaml")).err

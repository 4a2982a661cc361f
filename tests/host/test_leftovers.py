"""What killed hosts have left goes when the next one starts; what somebody holds, or is not a host's, stays."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from maverick_tui.host.leftovers import left_behind, tidy_up
from maverick_tui.host.places import make_runtime_folder, runtime_folder
from tests.host.served_run import RUN, leave_behind, serving

OTHER = "0123456789ab"


def names() -> set[str]:
    return {path.name for path in runtime_folder().iterdir()}


async def test_the_next_host_removes_it_and_leaves_those_that_live_alone() -> None:
    left = leave_behind(OTHER)
    assert sorted(left_behind()) == sorted(left)
    async with serving() as run:
        assert names() == {f"{RUN}.lock", f"{RUN}.sock"}
        tidy_up()
        assert names() == {f"{RUN}.lock", f"{RUN}.sock"}
        run.events.close()
    assert names() == set()


def test_a_lock_or_a_socket_alone_goes_too_and_what_is_held_or_foreign_stays(tmp_path: Path) -> None:
    lock, number, socket = leave_behind(OTHER)
    lock.unlink()
    (make_runtime_folder() / f"{RUN}.lock").touch()
    held = os.open(number, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    foreign = [runtime_folder() / name for name in ("notes.lock", f"{RUN}.log", "a.turn", "ffffffffffff.sock")]
    for path in foreign:
        path.write_text("somebody's")
    precious = tmp_path / "precious"
    precious.touch()
    (runtime_folder() / "eeeeeeeeeeee.lock").symlink_to(precious)
    tidy_up()
    os.close(held)
    assert not socket.exists()
    assert names() == {number.name, "eeeeeeeeeeee.lock", *(path.name for path in foreign)}
    assert precious.exists()

"""Other users of the machine: what they have put where everybody may write."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from maverick_tui.agent.engine.claude import options, scratch
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import bash, say, scene

WORK = "months of work\n"


class Commander(Talker):
    name = "commander"
    allowed_tools = ["Bash(pwd)"]


@pytest.mark.parametrize(
    "is_private",
    [True, pytest.param(False, marks=pytest.mark.explore)],  # shows that the other could fail
)
async def test_no_command_writes_through_a_link_in_the_common_folder(
    is_private: bool, serve: ServeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    common, thesis = tmp_path / "common", tmp_path / "thesis.txt"
    common.mkdir()
    thesis.write_text(WORK)
    for number in range(0x10000):  # all names that the CLI may choose from
        os.symlink(thesis, common / f"claude-{number:04x}-cwd")  # noqa: PTH211 - Path would take twice as long
    monkeypatch.delenv("CLAUDE_CODE_TMPDIR")
    monkeypatch.setenv("TMPDIR", str(common))
    monkeypatch.setattr(tempfile, "tempdir", str(common))
    scratch._made.cache_clear()
    if not is_private:
        monkeypatch.setattr(options, "private_folder", str)
    async with serve([scene(bash("pwd"), say("Done."), prompt="go")]), watch(Commander) as run:
        await run.ask("go")
    scratch._made.cache_clear()
    assert (thesis.read_text() == WORK) is is_private


def test_a_folder_that_somebody_else_has_put_in_its_place_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    scratch._made.cache_clear()
    first = scratch.private_folder()
    assert scratch.private_folder() == first
    descriptor = os.open(first, os.O_RDONLY | os.O_DIRECTORY)
    with pytest.raises(BlockingIOError):  # so does whoever clears up
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    shutil.rmtree(first)
    second = scratch.private_folder()
    assert second not in ("", first)
    Path(second).chmod(0o777)
    third = scratch.private_folder()
    assert third not in ("", first, second)
    os.close(descriptor)
    scratch._made.cache_clear()

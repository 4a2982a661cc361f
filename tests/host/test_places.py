"""The folder of sockets is ours alone, or nobody uses it."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.host import places


def test_it_is_made_for_us_alone() -> None:
    folder = places.make_runtime_folder()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder == places.make_runtime_folder() == places.runtime_folder()


@pytest.mark.parametrize("wrong", ["is a link", "is not a folder", "can be read by others"])
def test_one_that_somebody_else_may_have_made_is_refused(wrong: str, tmp_path: Path) -> None:
    folder = places.runtime_folder()
    if wrong == "is a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    elif wrong == "is not a folder":
        folder.write_text("")
    else:
        folder.mkdir()
        folder.chmod(0o755)
    with pytest.raises(ConfigError, match=wrong if wrong != "is not a folder" else "cannot be made") as caught:
        places.make_runtime_folder()
    assert "MAVERICK_RUNTIME_DIR" in caught.value.hint


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_one_of_another_user_is_refused() -> None:
    folder = places.runtime_folder()
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, -1)
    with pytest.raises(ConfigError, match="belongs to somebody else"):
        places.make_runtime_folder()
    assert list_of() == []


def list_of() -> list[str]:
    try:
        return list(places.hosted_runs())
    except ConfigError:
        return []


def test_what_no_socket_can_be_called_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for run_id in ("../../etc", "", "a/b", "x" * 70):
        with pytest.raises(ConfigError, match="not the id"):
            places.socket_of(run_id)
    monkeypatch.setenv("MAVERICK_RUNTIME_DIR", str(tmp_path / ("long" * 30)))
    with pytest.raises(ConfigError, match="too long for a socket"):
        places.socket_of("7f3a00c0ffee")


def test_without_a_runtime_folder_of_the_system_it_is_one_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAVERICK_RUNTIME_DIR")
    monkeypatch.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
    assert places.runtime_folder().name == f"maverick-{os.getuid()}"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(Path.cwd()))
    assert places.runtime_folder() == Path.cwd() / "maverick"


def test_runs_of_another_state_folder_have_their_sockets_elsewhere(tmp_path: Path) -> None:
    usual = {"HOME": pwd.getpwuid(os.getuid()).pw_dir, "TMPDIR": str(tmp_path)}
    moved = {
        "HOME": usual | {"HOME": str(tmp_path)},
        "XDG_STATE_HOME": usual | {"XDG_STATE_HOME": str(tmp_path / "state")},
        "MAVERICK_STATE_DIR": usual | {"MAVERICK_STATE_DIR": str(tmp_path / "mine")},
        "nothing": usual | {"XDG_STATE_HOME": f"{usual['HOME']}/.local/state"},
    }
    found = {name: places.runtime_folder(environment) for name, environment in moved.items()}
    assert len({*found.values()}) == 4
    assert found["nothing"] == places.runtime_folder(usual) == tmp_path / f"maverick-{os.getuid()}"
    assert places.runtime_folder(moved["HOME"] | {"MAVERICK_RUNTIME_DIR": "/r"}) == Path("/r")

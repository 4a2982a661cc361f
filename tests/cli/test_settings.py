"""`maverick config`: each value with its origin, and editing that never leaves a broken file behind."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.cli import settings_edit
from maverick_tui.config import MaverickConfig, check_file, config_file
from maverick_tui.folder_locks import OWNER
from maverick_tui.paths import edited_settings
from maverick_tui.settings_told import meanings, new_file
from tests.cli.agent_files import environment
from tests.conftest import TURNED_OFF
from tests.support.command_line import Run
from tests.support.pty_program import in_terminal
from tests.support.sampling import sampled


def write(text: str) -> Path:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text)
    return config_file()


# -- show and path -----------------------------------------------------------------------------------------------------


def test_every_value_has_its_origin(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write('model = "from-file"\ntimeout = 10\n[env]\nA = "1"\n[keys]\n"run.verbosity" = "ctrl+l"\n')
    monkeypatch.setenv("MAVERICK_TIMEOUT", "20")
    monkeypatch.setenv("MAVERICK_ENV", '{"B": "2"}')
    told = json.loads(maverick("config", "show", "--json").out)
    found = {one["name"]: (one["value"], one["origin"], one["source"]) for one in told["settings"]}
    assert found["model"] == ("from-file", "file", str(file))
    assert found["timeout"] == (20.0, "environment", "MAVERICK_TIMEOUT")
    assert found["env.A"] == ("1", "file", str(file))
    assert found["env.B"] == ("2", "environment", "MAVERICK_ENV")
    assert found["max_turns"] == (100, "default", "")
    assert {name.partition(".")[0] for name in found} == set(MaverickConfig.model_fields)
    assert (told["file"], told["exists"], told["tables"]) == (str(file), True, {"keys": 1})


def test_the_readme_tells_the_defaults_that_count(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TURNED_OFF:
        monkeypatch.delenv(name)
    told = json.loads(maverick("config", "show", "--json").out)
    counts = {one["name"]: one["value"] for one in told["settings"]}
    table = (Path(__file__).parents[2] / "README.md").read_text().partition("| setting | default |")[2]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    written = dict(pair for names, values in rows for pair in zip(*map(_marked, (names, values)), strict=False))
    assert {"model", "permission_mode", "max_turns"} <= set(written)
    for name, value in written.items():
        assert value == (counts[name] if isinstance(counts[name], str) else json.dumps(counts[name]).removesuffix(".0"))


def _marked(cell: str) -> list[str]:
    return re.findall("`([^`]*)`", cell)


def test_people_see_the_same_with_what_it_means(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("maverick_timeout", "20")
    monkeypatch.setenv("MAVERICK_REMOTE_MAVERICK", whole := f"{Path.home()}/bin/maverick")
    out = maverick("config", "show").out
    assert whole in "".join(out.split()), "it is what is written there"
    lines = out.splitlines()
    assert lines[:2] == ["~/.config/maverick/config.toml", "There is none yet: maverick config edit makes it."]
    row = next(number for number, line in enumerate(lines) if line.startswith("timeout"))
    assert lines[row].split() == ["timeout", "maverick_timeout", "20.0"]
    assert lines[row + 1].strip().startswith("Seconds of silence")
    assert max(map(len, lines)) <= 80


def test_secrets_are_never_printed(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        'tasks_url = "postgresql://me:hunter2@db/tasks"\n[env]\nMY_TOKEN = "opensesame"\nPROXY = "http://u:s3s4me@p"\n'
    )
    for arguments in (["config", "show"], ["config", "show", "--json"]):
        ran = maverick(*arguments)
        assert ran.code == 0
        assert not [secret for secret in ("hunter2", "opensesame", "s3s4me") if secret in ran.out]
        assert "env.MY_TOKEN" in ran.out


def test_what_is_no_setting_is_an_error_with_a_suggestion(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("timout = 3\n")
    ran = maverick("config", "show")
    assert (ran.code, ran.out) == (1, "")
    assert "timout is not a setting (Did you mean 'timeout'?)" in ran.err
    monkeypatch.setenv("MAVERICK_MODLE", "x")
    assert "Did you mean MAVERICK_MODEL?" in maverick("config", "show", "--json").err


def test_the_path_is_told_whether_or_not_it_is_there(
    maverick: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MAVERICK_CONFIG_DIR", str(tmp_path / "mine"))
    assert maverick("config", "path") == (0, f"{tmp_path / 'mine' / 'config.toml'}\n", "")


# -- the file to begin with --------------------------------------------------------------------------------------------


def test_each_setting_means_something() -> None:
    assert set(meanings()) == set(MaverickConfig.model_fields)


def test_the_first_file_sets_nothing_and_all_that_it_shows_can_be_set(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(new_file())
    assert tomllib.loads(new_file()) == {}
    assert max(map(len, new_file().splitlines())) <= 80
    lines = [line.removeprefix("# ") for line in new_file().splitlines()]
    path.write_text(
        "\n".join(line for line in lines if line.startswith(("[", '"')) or (" = " in line and line[0].islower()))
    )
    check_file(path)
    assert set(tomllib.loads(path.read_text())) == {*MaverickConfig.model_fields, "keys"}


# -- edit --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that does what is in a file of Python; `path` is what it edits."""
    program = tmp_path / "editor.py"
    monkeypatch.setenv("EDITOR", f"{sys.executable} {program}")
    monkeypatch.delenv("VISUAL", raising=False)
    return program


def does(editor: Path, body: str) -> None:
    editor.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\n{body}\n")


def left_beside() -> list[str]:
    return sorted(path.name for path in config_file().parent.iterdir())


def rejected() -> Path:
    return edited_settings() / "config.toml.rejected"


def left_of_copies() -> list[Path]:
    return [path for path in edited_settings().iterdir() if path != rejected()]


def test_a_file_that_is_not_there_is_made_with_comments_for_nobody_else(maverick: Run, editor: Path) -> None:
    does(editor, "path.write_text(path.read_text() + 'timeout = 20\\n')")
    ran = maverick("config", "edit")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("config.toml: made.\n")
    assert MaverickConfig.load().timeout == 20
    assert "# Seconds of silence" in config_file().read_text()
    assert stat.S_IMODE(config_file().stat().st_mode) == 0o600
    assert left_beside() == ["config.toml"]


def test_an_edit_that_is_wrong_changes_nothing_and_is_not_lost(maverick: Run, editor: Path) -> None:
    write("timeout = 10\n")
    does(editor, "path.write_text('timout = 3\\n')")
    ran = maverick("config", "edit")
    assert ran.code == 1
    assert "Did you mean 'timeout'?" in ran.err
    assert "settings/config.toml.rejected" in ran.err
    assert config_file().read_text() == "timeout = 10\n"
    assert rejected().read_text() == "timout = 3\n"
    assert (left_beside(), left_of_copies()) == (["config.toml"], [])
    does(editor, "path.write_text('timeot = 4\\n')")
    assert "config.toml.rejected.2" in maverick("config", "edit").err
    assert rejected().read_text() == "timout = 3\n", "nobody may have read it yet"


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ("sys.exit(3)", 1, "ended with exit code 3"),
        ("path.write_text('half'); sys.exit(1)", 1, "ended with exit code 1"),
        ("", 0, "nothing was changed"),
        ('path.write_text(\'[keys]\\n"run.verbosty" = "f5"\\n\')', 1, "run.verbosty"),
        ("path.write_text('timeout = ')", 1, "cannot be read"),
        ("pathlib.Path({!r}).write_text('timeout = 11\\n'); path.write_text('timeout = 12\\n')", 1, "somebody else"),
    ],
    ids=["fails", "fails halfway", "changes nothing", "wrong keys", "no TOML", "meanwhile"],
)
def test_the_file_is_never_half_written(maverick: Run, editor: Path, body: str, code: int, says: str) -> None:
    write("timeout = 10\n")
    does(editor, body.replace("{!r}", repr(str(config_file()))))
    ran = maverick("config", "edit")
    assert ran.code == code
    assert says in ran.out + ran.err
    assert config_file().read_text() in ("timeout = 10\n", "timeout = 11\n")
    assert not [name for name in left_beside() if name.startswith(".")]


def test_a_broken_file_can_be_mended_and_a_link_stays_one(maverick: Run, editor: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("timout = 10\n")
    kept.chmod(0o644)
    config_file().parent.mkdir(parents=True)
    config_file().symlink_to(kept)
    does(editor, "path.write_text(path.read_text().replace('timout', 'timeout'))")
    ran = maverick("config", "edit")
    assert (ran.code, ran.out.endswith(": saved.\n")) == (0, True), ran
    assert config_file().is_symlink()
    assert kept.read_text() == "timeout = 10\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o644


def test_an_agent_in_the_repository_of_the_settings_reads_and_writes_no_copy(
    maverick: Run, editor: Path, tmp_path: Path
) -> None:
    repository = tmp_path / "dotfiles"
    repository.mkdir()
    (repository / "config.toml").write_text("timeout = 10\n")
    config_file().parent.mkdir(parents=True)
    config_file().symlink_to(repository / "config.toml")
    does(editor, f"pathlib.Path({str(tmp_path / 'edited')!r}).write_text(str(path))\npath.write_text('timout = 3')")
    assert maverick("config", "edit").code == 1
    assert sorted(path.name for path in repository.iterdir()) == ["config.toml"]
    copy = Path((tmp_path / "edited").read_text())
    copy.parent.mkdir()
    judge = Judge(("Read", "Write"), repository, person=True)
    for path in (copy, copy.with_name(".config.toml.swp"), rejected(), config_file().with_name("config.toml~")):
        path.write_text("")
        for tool in ("Read", "Write"):
            verdict = judge.judge(tool, {"file_path": str(path), "content": ""}, mode="acceptEdits")
            assert verdict.decision != "allow", (tool, path)


def test_what_cannot_be_put_in_place_is_not_lost(maverick: Run, editor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    write("timeout = 10\n")
    does(editor, "path.write_text('timeout = 3\\n')")
    monkeypatch.setattr(settings_edit, "write_whole", full)
    ran = maverick("config", "edit")
    assert "No space left on device" in ran.err
    assert "settings/config.toml.rejected" in ran.err
    assert (config_file().read_text(), rejected().read_text()) == ("timeout = 10\n", "timeout = 3\n")


def test_a_folder_of_the_persons_own_beside_the_settings_stays(maverick: Run, editor: Path) -> None:
    own = write("timeout = 10\n").parent / "maverick-agents"
    own.mkdir(mode=0o700)
    (own / "mine.py").write_text("months of work")
    (own / OWNER).write_text("anybody\n")  # a clone may bring that along
    does(editor, "")
    assert maverick("config", "edit").code == 0
    assert (own / "mine.py").read_text() == "months of work"


@pytest.mark.explore
def test_there_is_a_way_back_into_the_editor(editor: Path) -> None:
    """In a terminal, where somebody can be asked."""
    does(
        editor,
        "text = path.read_text()\n"
        "path.write_text('timout = 3\\n' if 'timout' not in text else 'timeout = 3\\n')\n"
        "print('edited')",
    )
    write("timeout = 10\n")
    command = [sys.executable, "-m", "maverick_tui", "config", "edit"]
    surroundings = environment(EDITOR=os.environ["EDITOR"])
    with in_terminal(command, surroundings) as terminal:
        terminal.see("[E/d]:")
        assert config_file().read_text() == "timeout = 10\n"
        assert "Did you mean 'timeout'?" in " ".join(terminal.glass.text.split())
        terminal.send("\r")
        terminal.see("config.toml: saved.")
        assert terminal.wait() == 0
    assert config_file().read_text() == "timeout = 3\n"
    assert left_beside() == ["config.toml"]


@pytest.mark.explore  # the way back is above
def test_there_is_a_way_out_of_the_editor(editor: Path) -> None:
    does(editor, "path.write_text('timout = 3\\n')\nprint('edited')")
    write("timeout = 3\n")
    command = [sys.executable, "-m", "maverick_tui", "config", "edit"]
    with in_terminal(command, environment(EDITOR=os.environ["EDITOR"])) as terminal:
        terminal.see("[E/d]:")
        terminal.send("d\r")
        assert terminal.wait() == 1
        assert "discarded" in terminal.glass.text
    assert config_file().read_text() == "timeout = 3\n"
    assert left_beside() == ["config.toml"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(
    ("name", "saved", "stays"),
    sampled(
        [
            ("SIGHUP", "timeout = 3\n", True),
            ("SIGTERM", "timeout = 3\n", True),
            ("SIGKILL", "timeout = 3\n[env]\nSHOP_TOKEN = 'hunter2-hunter2'\n", False),
            ("SIGKILL", "timeout = 10\n", False),
            ("SIGKILL", "timeout = 3\n", True),
        ],
        2,
    ),
)
def test_no_copy_of_the_settings_stays_when_the_window_goes_but_what_was_saved_does(
    name: str, saved: str, stays: bool, maverick: Run, editor: Path
) -> None:
    wait = "import os, time\nparent = os.getppid()\nwhile os.getppid() == parent: time.sleep(0.01)"
    does(editor, f"path.write_text({saved!r})\nprint('edited', flush=True)\n{wait}")
    write("timeout = 10\n")
    command = [sys.executable, "-m", "maverick_tui", "config", "edit"]
    with in_terminal(command, environment(EDITOR=os.environ["EDITOR"])) as terminal:
        terminal.see("edited")
        os.kill(terminal.pid, getattr(signal, name))
        terminal.wait()
    if name == "SIGKILL":
        write("timeout = 20\n")  # meanwhile: what was there at first is no change of the person's
        does(editor, "")
        ran = maverick("config", "edit")
        assert ran.out.endswith("nothing was changed.\n")
        assert (f"what you wrote is in {rejected()}." in ran.err) is stays
    assert (left_beside(), left_of_copies()) == (["config.toml"], [])
    assert rejected().exists() is stays
    assert not stays or (rejected().read_text(), rejected().stat().st_mode & 0o77) == (saved, 0)
    assert config_file().read_text() == ("timeout = 20\n" if name == "SIGKILL" else "timeout = 10\n")

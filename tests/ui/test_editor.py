"""Ctrl+G: the prompt in the person's own editor."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from textual.worker import WorkerCancelled

from maverick_tui import paths
from maverick_tui.folder_locks import OWNER
from maverick_tui.settings_left import COPY, note_begun
from maverick_tui.ui.editor import find_editor
from maverick_tui.ui.unsaved import left_by_editors, note_taken, told_of
from tests.masking.examples import RANDOM
from tests.support.runs import BEGAN, Tape
from tests.support.sampling import sampled
from tests.support.terminal import GlassDriver
from tests.ui.running import watching
from tests.ui.waiting import until
from tests.ui.widgets.prompt_app import PromptApp

SCRIPT = """
import os, pathlib, stat, sys, time
path = pathlib.Path(sys.argv[-1])
report = pathlib.Path({report!r})
report.write_text("%o %s" % (stat.S_IMODE(path.stat().st_mode), path))
{body}
"""

ONE = "Set $EDITOR to the editor that you want, then try again."
OTHER = "Set $EDITOR to another one."


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for what the editor is to do and what it says; nothing else may be left in the folder for files."""
    folder = tmp_path / "editor folder"
    scratch = tmp_path / "scratch"
    for path in (folder, scratch):
        path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("maverick_tui.ui.editor._ALWAYS_THERE", ())
    monkeypatch.setenv("EDITOR", f"{sys.executable} '{folder / 'editor.py'}'")
    return folder


def abandoned(name: str) -> Path:
    """A folder that a text was edited in when its application was killed."""
    folder = paths.user_state() / "editing" / f"maverick-edit-{name}"
    paths.make_private(folder)
    for file in (OWNER, "prompt.md"):
        (folder / file).touch()
    return folder


def does(editor: Path, body: str) -> None:
    (editor / "editor.py").write_text(SCRIPT.format(report=str(editor / "report"), body=body))


async def edit(app: PromptApp, text: str = "before") -> list[str]:
    """Press the key; returns what the person is told."""
    async with app.run_test(headless=False) as pilot:
        app.prompt.set_text(text)
        await pilot.press("ctrl+g")
        await app.workers.wait_for_complete()
        await pilot.pause()
        return [notification.message for notification in app._notifications]


async def test_the_text_comes_back_as_it_was_left(editor: Path, tmp_path: Path) -> None:
    does(
        editor, "assert (path.parent / '.owner').exists()\npath.write_text(path.read_text() + ' and\\nafter \\x1b\\n')"
    )
    app = PromptApp(driver_class=GlassDriver)
    assert await edit(app) == []
    assert app.prompt.text == "before and\nafter \u241b"
    mode, _, name = (editor / "report").read_text().partition(" ")
    assert mode == "600"
    assert not Path(name).parent.exists()
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_what_was_edited_when_an_application_was_killed_goes_with_the_next_start(
    editor: Path, tmp_path: Path
) -> None:
    left, kept = map(abandoned, ("alone", "swapped"))
    note_taken(left, "as it was")
    (left / "prompt.md").write_text("as it was\n")  # saved without a change, by an editor that ends the last line
    (kept / ".prompt.md.swp").touch()
    async with watching(Tape().connect()) as (app, pilot):
        await until(pilot, lambda: app._notifications, "all is told at once")
        (told,) = app._notifications
        assert str(kept) in told.message
        assert not left.exists()


async def test_what_was_saved_of_the_settings_when_somebody_was_killed_is_told_at_the_next_start() -> None:
    left = paths.edited_settings() / "maverick-edit-killed"
    paths.make_private(left)
    (left / OWNER).touch()
    note_begun(left, b"")
    (left / COPY).write_text("timeout = 3\n")
    async with watching(Tape().connect()) as (app, pilot):
        await until(pilot, lambda: app._notifications, "it is told")
        (told,) = app._notifications
        rejected = paths.edited_settings() / f"{COPY}.rejected"
        assert str(rejected) in told.message
        assert rejected.read_text() == "timeout = 3\n"
        await until(pilot, lambda: not left.exists(), "the copy is gone")


async def test_what_an_editor_has_kept_is_told_at_the_next_start_and_goes_when_it_is_old(
    editor: Path, tmp_path: Path
) -> None:
    swapped, saved, backed_up, old = map(abandoned, ("swapped", "saved", "backed-up", "old"))
    for file in (
        swapped / ".prompt.md.swp",
        saved / "prompt.md.save",
        backed_up / "prompt.md~",
        backed_up / ".prompt.md.un~",  # vim's way back from what was saved
        old / ".prompt.md.swp",
    ):
        file.touch()
    os.utime(old / ".prompt.md.swp", (BEGAN, BEGAN))
    async with watching(Tape().connect()) as (app, pilot):
        await until(pilot, lambda: len(app._notifications) == 2, "both are told")
        rid = "If you do not want it: rm -r"
        assert {notification.message for notification in app._notifications} == {
            f"vim has kept what you had not saved: vim -r {swapped / 'prompt.md'}\n{rid} {swapped}",
            f"The editor has kept what you had not saved: {saved / 'prompt.md.save'}\n{rid} {saved}",
        }
        assert (swapped / "prompt.md").exists()
        assert not backed_up.exists()
        assert not old.exists()
    assert left_by_editors() == [], "it was told today"
    os.utime(saved / "told", (BEGAN, BEGAN))
    (again,) = left_by_editors()
    assert str(saved) in again


def test_what_was_saved_and_is_nowhere_else_is_told_at_the_next_start_unless_it_is_secret() -> None:
    saved, secret = map(abandoned, ("saved", "secret"))
    for folder in (saved, secret):
        note_taken(folder, "before")
    (saved / "prompt.md").write_text("an hour of work\n")
    (secret / "prompt.md").write_text(f"api_key={RANDOM}\n")
    (told,) = left_by_editors()
    assert told.startswith(f"What you had saved in your editor is not in the prompt: {saved / 'prompt.md'}\n")
    assert (saved / "prompt.md").read_text() == "an hour of work\n"
    assert not secret.exists()


async def test_what_is_saved_is_in_the_prompt_at_once_and_stays_there_if_the_editor_fails(
    editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maverick_tui.ui.editor.LOOK_EVERY", 0.01)
    waits = "while not (report.parent / 'go').exists(): time.sleep(0.01)"
    does(editor, f"path.write_text('an hour of work\\n')\n{waits}\npath.write_text('and more')\nsys.exit(3)")
    app = PromptApp(driver_class=GlassDriver)
    async with app.run_test(headless=False) as pilot:
        app.prompt.set_text("before")
        await pilot.press("ctrl+g")
        while app.prompt.text != "an hour of work":  # the editor is still there, and the window may go
            await asyncio.sleep(0.01)
        (editor / "go").touch()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.prompt.text == "and more"
        (told,) = [notification.message for notification in app._notifications]
        assert told.endswith("ended with exit code 3. The text is as it was last saved.")


async def test_what_was_saved_a_moment_before_the_window_goes_is_in_the_prompt(
    editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maverick_tui.ui.editor.LOOK_EVERY", 600.0)
    does(editor, "path.write_text('an hour of work\\n')\nreport.with_name('saved').touch()\ntime.sleep(600)")
    app = PromptApp(driver_class=GlassDriver)
    async with app.run_test(headless=False) as pilot:
        app.prompt.set_text("before")
        await pilot.press("ctrl+g")
        while not (editor / "saved").exists():
            await asyncio.sleep(0.01)
        (editing,) = [worker for worker in app.workers if worker.group == "editor"]
        editing.cancel()
        with suppress(WorkerCancelled):
            await editing.wait()
        assert app.prompt.text == "an hour of work"
    assert [*(paths.user_state() / "editing").iterdir()] == [], "it is nowhere else"


async def test_what_was_saved_counts_as_taken_only_once_its_draft_is_written(
    editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maverick_tui.ui.editor.LOOK_EVERY", 0.01)
    does(editor, "path.write_text('an hour of work\\n')\ntime.sleep(600)")
    app = PromptApp(driver_class=GlassDriver)
    async with app.run_test(headless=False) as pilot:
        await pilot.press("ctrl+g")
        while app.prompt.text != "an hour of work":
            await asyncio.sleep(0)
        (folder,) = (paths.user_state() / "editing").iterdir()
        assert told_of(folder), "whoever is killed now has it there"
        while told_of(folder):  # a look later
            await asyncio.sleep(0.01)
        (editing,) = [worker for worker in app.workers if worker.group == "editor"]
        editing.cancel()  # as whoever leaves does first
        with suppress(WorkerCancelled):
            await editing.wait()


async def slow_start(*command: str) -> asyncio.subprocess.Process:
    """As it is where much else is to be done: the editor is there before we know it."""
    process = await START(*command)
    await asyncio.sleep(0.5)
    return process


START = asyncio.create_subprocess_exec


@pytest.mark.parametrize("ends", ["the application", "the application at once", "the editor"])
async def test_what_the_editor_keeps_when_it_is_ended_stays(
    editor: Path, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ends == "the application at once":
        monkeypatch.setattr(asyncio, "create_subprocess_exec", slow_start)
    keeps = "signal.signal(signal.SIGTERM, lambda *_: (path.with_name('.prompt.md.swp').touch(), sys.exit(1)))"
    does(editor, f"import signal\n{keeps}\nreport.with_name('pid').write_text(str(os.getpid()))\ntime.sleep(600)")
    app = PromptApp(driver_class=GlassDriver)
    async with app.run_test(headless=False) as pilot:
        await pilot.press("ctrl+g")
        while not (editor / "pid").exists() or not (editor / "pid").read_text():
            await asyncio.sleep(0.01)
        (editing,) = [worker for worker in app.workers if worker.group == "editor"]
        if ends != "the editor":
            app.exit()
        else:
            os.kill(int((editor / "pid").read_text()), signal.SIGTERM)
            await app.workers.wait_for_complete()
            (told,) = [notification.message for notification in app._notifications]
            assert "exit code 1. The text is as it was last saved. vim has kept what you had not saved: vim -r" in told
    with suppress(WorkerCancelled):
        await editing.wait()
    folder = Path((editor / "report").read_text().partition(" ")[2]).parent
    assert folder.parent == paths.user_state() / "editing"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name for path in folder.iterdir()} == {OWNER, "prompt.md", ".prompt.md.swp", "taken"}


async def test_visual_comes_first(editor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    does(editor, "path.write_text('by visual')")
    monkeypatch.setenv("VISUAL", os.environ["EDITOR"])
    monkeypatch.setenv("EDITOR", "no-such-editor")
    app = PromptApp(driver_class=GlassDriver)
    assert await edit(app) == []
    assert app.prompt.text == "by visual"


def test_it_is_the_one_that_git_would_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, settings = tmp_path / "repository", tmp_path / "gitconfig"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    subprocess.run(["git", "-C", str(repository), "config", "core.editor", "hostile"], check=True)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    there = next(filter(shutil.which, ("vi", "nano")), None)
    if there is not None:
        assert find_editor() == (["vi" if shutil.which("vi") else there], "$EDITOR"), "and not the repository's own"
    monkeypatch.setenv("EDITOR", "editor -w")
    assert find_editor() == (["editor", "-w"], "$EDITOR")
    monkeypatch.setenv("VISUAL", "visual")
    assert find_editor() == (["visual"], "$VISUAL")
    settings.write_text("[core]\n\teditor = ~/bin/mine --wait\n")
    assert find_editor() == ([str(Path.home() / "bin/mine"), "--wait"], "git's core.editor")
    monkeypatch.setenv("GIT_EDITOR", "first")
    assert find_editor() == (["first"], "$GIT_EDITOR")


async def test_the_application_goes_on_meanwhile_but_paints_nothing(editor: Path) -> None:
    does(editor, "while not (report.parent / 'go').exists(): time.sleep(0.01)\npath.write_text('done')")
    app = PromptApp(driver_class=GlassDriver)
    async with app.run_test(headless=False) as pilot:
        driver = app._driver
        assert isinstance(driver, GlassDriver)
        await pilot.press("ctrl+g")
        while not (editor / "report").exists():
            await asyncio.sleep(0.01)
        driver.take()
        app.prompt.set_text("came behind the editor")
        await pilot.pause()
        assert driver.take() == ""
        os.kill(os.getpid(), signal.SIGINT)  # Ctrl+C in the editor
        (editor / "go").touch()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.prompt.text == "came behind the editor\ndone", "neither is lost"
        assert "done" in driver.take()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("", f"No editor is set, and there is neither vi nor nano. {ONE}"),
        ("no-such-editor -w", f"The editor no-such-editor cannot be started: No such file or directory. {OTHER}"),
        ("vi 'x", f"The editor vi 'x cannot be started: No closing quotation. {OTHER}"),
        ("false", "The editor false ended with exit code 1. The text is as it was last saved."),
    ],
)
async def test_why_it_is_not_possible_is_said(
    command: str, told: str, editor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", command)
    app = PromptApp(driver_class=GlassDriver)
    assert await edit(app) == [told]
    assert app.prompt.text == "before"
    assert [*(paths.user_state() / "editing").glob("*")] == [*(tmp_path / "scratch").iterdir()] == []


@pytest.mark.parametrize(
    "leaves", sampled(["path.mkdir()", "os.mkfifo(path)", "path.symlink_to(path.name)", "pass"], 2)
)
async def test_an_editor_that_leaves_no_text_leaves_the_prompt_as_it_was(leaves: str, editor: Path) -> None:
    does(editor, f"path.unlink()\n{leaves}")
    app = PromptApp(driver_class=GlassDriver)
    (told,) = await edit(app)
    assert told.endswith("has left no text that can be read. The text is as it was last saved.")
    assert app.prompt.text == "before"
    assert [*(paths.user_state() / "editing").iterdir()] == []


async def test_an_editor_that_removes_the_folder_of_the_text_leaves_the_prompt_as_it_was(editor: Path) -> None:
    does(editor, "import shutil\nshutil.rmtree(path.parent)")
    app = PromptApp(driver_class=GlassDriver)
    (told,) = await edit(app)
    assert "No such file or directory" in told
    assert app.prompt.text == "before"


async def test_a_folder_in_which_no_text_can_be_edited_is_said(editor: Path) -> None:
    does(editor, "")
    paths.make_private(paths.user_state())
    (paths.user_state() / "editing").write_text("")
    app = PromptApp(driver_class=GlassDriver)
    (told,) = await edit(app)
    assert str(paths.user_state() / "editing") in told
    assert app.prompt.text == "before"


async def test_a_terminal_that_cannot_be_left_is_said(editor: Path) -> None:
    does(editor, "")
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("ctrl+g")
        await app.workers.wait_for_complete()
        assert "This terminal cannot be handed to an editor." in next(iter(app._notifications)).message
    assert not (editor / "report").exists()


async def test_an_editor_does_not_outlive_the_application(editor: Path) -> None:
    does(editor, "report.with_name('pid').write_text(str(os.getpid()))\ntime.sleep(600)")
    app = PromptApp(driver_class=GlassDriver)
    async with app.run_test(headless=False) as pilot:
        await pilot.press("ctrl+g")
        while not (editor / "pid").exists() or not (editor / "pid").read_text():
            await asyncio.sleep(0.01)
        app.exit()
    pid = int((editor / "pid").read_text())
    async with asyncio.timeout(60):  # it was told to end; a busy machine takes a while to do so
        with suppress(ProcessLookupError):
            while True:
                os.kill(pid, 0)
                await asyncio.sleep(0.01)

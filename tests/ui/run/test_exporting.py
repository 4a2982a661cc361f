"""A run is exported from its screen."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from textual.widgets import Input

from maverick_tui.exceptions import NetworkError
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.writing import Journal
from maverick_tui.runs.board import Attachment, Board, RunModel
from maverick_tui.runs.entries import PromptEntry
from maverick_tui.runs.log import EventLog
from maverick_tui.ui.run.exporting import _kept, export_words
from maverick_tui.ui.run.exporting import _problem as problem_of_file
from tests.history.kept import begun, keep_run, turn
from tests.host.far.fake_ssh import GATEWAY, THERE, fake_ssh
from tests.host.served_run import serving
from tests.ui.kept_app import RUN, KeptApp, opened, send
from tests.ui.waiting import until


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("", ("", "")),
        ("md", ("md", "")),
        ("html a file.txt", ("html", "a file.txt")),
        ("../out.jsonl", ("jsonl", "../out.jsonl")),
        ("run.CAST", ("cast", "run.CAST")),
        ("the data to a file", None),
        ("out.txt", None),
    ],
)
def test_what_follows_the_command_is_a_format_a_file_or_no_command(words: str, meant: tuple[str, str] | None) -> None:
    assert export_words(words) == meant


def test_a_file_that_asks_for_what_there_is_not_is_refused_before_it_is_written() -> None:
    assert "no run is exported as .pdf" in problem_of_file(Path("run.pdf"), "")
    assert [problem_of_file(Path(name), form) for name, form in (("run.pdf", "md"), ("run.html", ""))] == ["", ""]


async def test_a_run_that_lives_elsewhere_is_exported_as_it_is_masked_there(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """Its host knows what its servers and inputs were given. What it has kept, or tells who prints it, is masked."""
    told = EventLog(is_batched=False)
    for event in [*begun(), *turn(1, "Log in with what-only-the-host-knows", "Done.")]:
        told.emit(event)
    there = [*begun(), *turn(1, "Log in with [secret]", "Done.")]
    run = RunModel(RUN, "explorer", Board(lambda *_: None))
    run._reader = told.reader()

    async def exported() -> str:
        kept = await asyncio.to_thread(_kept, run)
        assert kept.state == "done"
        (prompt,) = (entry.text for entry in kept.store.entries if isinstance(entry, PromptEntry))
        return prompt

    for told.is_kept in (True, False):
        assert await exported() == "Log in with what-only-the-host-knows", "it lives in this process"
    attachment = Attachment(lambda: None, _nothing)
    run.attached = attachment
    with pytest.raises(NetworkError, match="has no host"):
        await exported()
    async with serving(there) as host:
        assert await exported() == "Log in with [secret]", "its host has told it"
        run.machine = THERE
        fake_ssh(monkeypatch, GATEWAY)
        assert await exported() == "Log in with [secret]", "the machine has asked its host"
        host.events.close()
    run.machine = ""
    told.is_kept = True
    with closing(Journal(journal_of(RUN), print)) as journal:
        journal.write(0, there)
        for is_guest in (False, True):
            run.attached = attachment._replace(is_guest=is_guest)
            assert await exported() == "Log in with [secret]", "it is in its journal"


async def _nothing() -> None:
    """Nothing was sent."""


async def test_it_is_exported_from_its_screen_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    keep_run(RUN, answer="The key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789-AAAA.")
    target = tmp_path / "run.md"
    async with opened() as (app, pilot):
        await send(pilot, f"/export md {target}")
        await until(pilot, target.exists, "it is written")
        assert "The key is" in target.read_text()
        assert "sk-ant-api03" not in target.read_text()
        target.write_text("mine")
        link, led_to = tmp_path / "link.md", tmp_path / "elsewhere"
        link.symlink_to(led_to)
        for file in (target, link):
            await send(pilot, f"/export {file}")
            await until(pilot, lambda: app.top == "ConfirmScreen", "it asks")
            await pilot.press("n")
            await until(pilot, lambda: app.top == "RunScreen")
        assert target.read_text() == "mine"
        assert not led_to.exists()
        await send(pilot, f"/export jsonl {tmp_path}")
        await until(pilot, lambda: any("is a folder" in note for note in app.notes))
        await send(pilot, f"/export cast {tmp_path / 'run.cast'}")
        await until(pilot, lambda: any("recording" in note for note in app.notes), "only the command line can print")
        app.run_screen.action_export()
        await until(pilot, lambda: app.top == "PathScreen" and app.screen.is_mounted, "it asks where to")
        line = app.screen.query_one(Input)
        assert Path(line.value).name == "reviewer-7f3a00.md"
        line.value = str(tmp_path / "nowhere" / "page.html")
        await pilot.press("enter")
        assert app.top == "PathScreen"
        line.value = str(tmp_path / "page.html")
        await pilot.press("enter")
        await until(pilot, (tmp_path / "page.html").exists)
        assert app.board.runs, "it is not sent to anybody"


async def test_a_run_that_is_served_is_exported_by_what_it_has_told(tmp_path: Path) -> None:
    log = EventLog()
    for event in [*begun(), *turn(answer="Said, and nowhere kept.")]:
        log.emit(event)
    app = KeptApp()
    async with app.run_test() as pilot:
        run = app._new_run("reviewer")
        app._start(run)
        following = asyncio.create_task(run.follow(log))
        app._navigation.show_run(run)
        await until(pilot, lambda: app.top == "RunScreen" and app.screen.is_mounted and run.told)
        app.run_screen.action_export(f"md {tmp_path / 'run.md'}")
        await until(pilot, (tmp_path / "run.md").exists)
        assert "Said, and nowhere kept." in (tmp_path / "run.md").read_text()
        assert "was open, and at rest, when it was exported" in (tmp_path / "run.md").read_text()
        log.close()
        await following

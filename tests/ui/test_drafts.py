"""What was typed and not sent is there again after a crash, unless there is a secret in it or it was sent."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.board import RunModel
from maverick_tui.ui import drafts as ui_drafts
from tests.history.kept import keep_run
from tests.masking.examples import RANDOM
from tests.support.runs import Tape
from tests.ui.kept_app import RUN, opened
from tests.ui.running import watching
from tests.ui.waiting import until

GONE = 2**22 + 1
"""No process has this number."""


def draft_of_run() -> Path:
    return journal_of(RUN).with_name("draft.json")


def drafts() -> list[Path]:
    return sorted((paths.user_state() / "drafts").glob("*.json"))


def sent() -> list[Path]:
    return sorted((paths.user_state() / "prompts").glob("*.jsonl"))


def has(file: Path, text: str) -> bool:
    return file.exists() and json.loads(file.read_text())["text"] == text


def left(file: Path) -> None:
    """Whoever wrote it is gone."""
    kept = json.loads(file.read_text())
    file.write_text(json.dumps({**kept, "pid": GONE}))


async def test_a_draft_of_a_kept_run_comes_back_until_it_is_sent() -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        await pilot.press(*"half a thou")
        await until(pilot, lambda: has(draft_of_run(), "half a thou"))
        assert stat.S_IMODE(draft_of_run().stat().st_mode) == 0o600
        app._leaving.end_now(143)  # as a signal does
    assert has(draft_of_run(), "half a thou")
    async with opened() as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "half a thou")
        await pilot.press(*"ght", "enter")
        await until(pilot, lambda: not draft_of_run().exists(), "it was sent")


async def test_what_was_typed_a_moment_before_the_window_goes_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_drafts, "AFTER_TYPING", 60.0)
    keep_run(RUN)
    async with opened() as (app, pilot):
        await pilot.press(*"half a thou")
        app._leaving.end_now(129)
        await until(pilot, lambda: app._exit, "it has ended")
    assert has(draft_of_run(), "half a thou")


async def test_what_somebody_else_types_is_not_taken_from_them() -> None:
    keep_run(RUN)
    draft_of_run().write_text(json.dumps({"pid": os.getppid(), "text": "theirs"}))
    async with opened() as (app, pilot):
        await pilot.press("x")
        await until(pilot, lambda: has(draft_of_run(), "x"))
        assert app.run_screen.prompt.text == "x"


async def test_a_secret_is_not_kept_and_that_is_told_once() -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        await pilot.press(*"use this: ")
        await until(pilot, draft_of_run().exists)
        app.run_screen.prompt.insert_here(f"api_key={RANDOM}")
        await until(pilot, lambda: not draft_of_run().exists())
        await until(pilot, lambda: any("secret" in note for note in app.notes))


@pytest.mark.parametrize("begun", ["AKIAIOSFODNN7EX", "--password 'hunter2x"])
async def test_what_may_be_the_beginning_of_a_secret_is_not_kept(begun: str) -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        app.run_screen.prompt.insert_here(f"the key is {begun}")
        await until(pilot, draft_of_run().exists)
        assert "the key is" in draft_of_run().read_text()
        assert begun[-6:] not in draft_of_run().read_text()


@pytest.mark.parametrize(
    "text",
    [
        "Make the password field hidden and the form wider, then write tests for it, please.",
        "See commit 3ba15899d2c1f2a7f7b9a1e6c2d4b8f0a1c3e5d7 and mend what it has broken here.",
    ],
)
async def test_a_text_about_secrets_is_kept(text: str) -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        app.run_screen.prompt.insert_here(text)
        await until(pilot, draft_of_run().exists)
        assert text.rpartition(" ")[0] in draft_of_run().read_text()


def as_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunModel, "is_kept", property(lambda _run: True))


async def test_the_draft_of_a_run_that_never_began_is_for_the_next_one_like_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching(Tape().connect()) as (app, pilot):
        await pilot.press(*"not kept")
        assert not app._navigation.drafts._waiting, "a run that is not kept has no draft on disk"
    as_kept(monkeypatch)
    async with watching(Tape().connect()) as (app, pilot):
        app.run_model.is_read_only = True
        await pilot.press(*"only watched")
        assert not app._navigation.drafts._waiting, "what is secret there is not known here"
        app.run_model.is_read_only = False
        app.run_screen.prompt.clear()
        await pilot.press(*"to begin with")
        await until(pilot, lambda: any(has(file, "to begin with") for file in drafts()))
        app._leaving.end_now(143)
    left(drafts()[0])
    async with watching(Tape().connect()) as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "to begin with")
        await pilot.press("enter")
        await until(pilot, lambda: not drafts())


@pytest.mark.parametrize("keeps", ["true", "false"])
async def test_what_was_sent_is_written_for_the_next_time_where_runs_are_kept(
    keeps: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_KEEP_RUNS", keeps)
    async with watching(Tape().connect()) as (app, pilot):
        for line in ("Look around", "!make"):
            app.run_screen.prompt.set_text(line)
            await pilot.press("enter")
        history = app._navigation.prompt_of(app.run_model).history
        await until(pilot, lambda: not history._unsaved and not history._one_at_a_time.locked(), "they are seen to")
        await pilot.press("up", "up")
        await until(pilot, lambda: app.run_screen.prompt.text == "Look around", "here they are known")
    written = [json.loads(line)["text"] for file in sent() for line in file.read_text().splitlines()]
    assert written == (["Look around", "!make"] if keeps == "true" else [])

"""Editing an agent's file from the picker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.app import App

from tests.support.sampling import sampled
from tests.ui.picker.host import opened, write, write_agent
from tests.ui.waiting import until


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that writes down how it was called and gives the agent a model; the terminal can be left for it."""

    @contextmanager
    def suspend(self: App[None]) -> Iterator[None]:
        yield
        (tmp_path / "handed-back").touch()

    monkeypatch.setattr(App, "suspend", suspend)
    script = write(
        tmp_path / "bin/vim", f'#!/bin/sh\necho "$@" > {tmp_path}/called\nsed -i "s/^tools/model: opus\\ntools/" "$2"\n'
    )
    script.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(script))
    return tmp_path / "called"


async def test_the_file_is_opened_at_its_line_and_read_again(editor: Path) -> None:
    path = write_agent("reviewer", "tools: Read")
    async with opened() as (app, pilot):
        assert "opus" not in app.text
        await pilot.press("ctrl+e")
        await until(pilot, lambda: "opus" in app.text)
        assert editor.read_text() == f"+2 {path.resolve()}\n"
        assert app.notice == ""


async def test_a_broken_file_is_opened_where_it_is_broken(editor: Path) -> None:
    write_agent("reviewer", "tools: Read\nallowed_tools: Read")
    async with opened() as (_, pilot):
        await pilot.press("ctrl+e")
        await until(pilot, editor.with_name("handed-back").exists)  # else it is still at work when the test ends
        assert editor.read_text().startswith("+5 ")


@pytest.mark.parametrize(
    ("command", "notice"),
    sampled(
        [
            ("", "Set $EDITOR to the editor that you want, then try again. The file is /"),
            ("/no/such/editor", "The editor /no/such/editor cannot be started: No such file or directory."),
            ("false", "The editor false ended with exit code 1."),
            ("vi 'x", "The editor vi 'x cannot be started: No closing quotation."),
        ],
        3,
    ),  # the prompt's editor, which is the same, shows all of them in `tests/ui/test_editor.py`
)
async def test_what_goes_wrong_is_told(
    editor: Path, command: str, notice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent("reviewer")
    monkeypatch.setenv("EDITOR", command)
    monkeypatch.setattr("maverick_tui.ui.editor._ALWAYS_THERE", ())
    async with opened() as (app, pilot):
        await pilot.press("ctrl+e")
        await until(pilot, lambda: notice in app.notice)


async def test_a_terminal_that_cannot_be_left_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    write_agent("reviewer")
    monkeypatch.setenv("EDITOR", "vi")
    async with opened() as (app, pilot):
        await pilot.press("ctrl+e")
        await until(pilot, lambda: "cannot be handed to an editor" in app.notice)

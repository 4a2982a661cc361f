"""Nothing that stands in a file steers the terminal, is taken for markup, or breaks the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.inert import inert
from maverick_tui.ui.picker.items import run_item
from tests.support.sampling import sampled
from tests.ui.picker.host import BROAD, NARROW, opened, write
from tests.ui.waiting import until

EVIL = '"[bold red]x[/] [@click=app.quit]y[/] \\e]0;evil\\a\\e[2J\\x9b2J \\u202eright\\u2066 \\e]8;;http://evil\\e\\\\"'
RAW = "\x1b]0;evil\x07\x1b[2J\x9b2J\u202e[/][bold]"


@pytest.fixture
def files() -> None:
    text = (
        f"---\nname: evil\ndescription: {EVIL}\ninitialPrompt: {EVIL}\n{EVIL}: {EVIL}\n---\n{RAW} ${{base}}\n"
        + RAW * 50
    )
    write(".claude/agents/evil.md", text)
    write(f".claude/agents/{RAW.replace('/', '')}.md", "no agent")
    write(".claude/agents/\udcff.md", "no agent")
    write(".claude/agents/broken.md", f"---\nname: broken\ndescription: {EVIL}\nmodel: {EVIL}\n---\nx\n")
    write(".claude/agents/wide.md", "---\nname: wide\ndescription: " + "日本" * 100 + "\n---\n" + "語" * 300 + "\n")


@pytest.mark.parametrize("size", sampled([(BROAD,), (NARROW,)], 2))
async def test_everything_on_the_screen_is_inert(files: None, size: tuple[int, int]) -> None:
    run = run_item("1", RAW, RAW, RAW, RAW)
    async with opened(size, runs=[run], badge="OFFLINE DEMO") as (app, pilot):
        assert len(app.rows) == 6
        for _ in app.rows:
            await pilot.press("space")
            await pilot.pause()
            assert app.text == inert(app.text)
            await pilot.press("escape", "down")
        await pilot.press("end", "enter", *"[bold]")
        await until(pilot, lambda: app.filter.text == "[bold]")
        assert app.text == inert(app.text)
        await pilot.press("escape", "home", "down")
        await pilot.press(*"brok")
        await pilot.press("enter")
        await until(pilot, lambda: "broken cannot run" in app.notice)
        assert app.text == inert(app.text)
        assert all(len(strip.text) for strip in app.screen._compositor.render_strips())


async def test_markup_is_shown_as_it_is_written(files: None) -> None:
    async with opened(BROAD) as (app, pilot):
        await pilot.press(*"evil")
        await until(pilot, lambda: "[bold red]x[/] [@click=app.quit]y[/]" in app.text)


async def test_no_row_is_wider_than_the_screen(files: None) -> None:
    async with opened(NARROW) as (app, pilot):
        await pilot.press("end")
        widths = {strip.cell_length for strip in app.screen._compositor.render_strips()}
        assert widths == {80}


async def test_a_folder_with_a_hostile_name_is_inert(tmp_path: Path) -> None:
    folder = tmp_path / RAW.replace("/", "")
    folder.mkdir()
    async with opened(NARROW, cwd=folder) as (app, _):
        assert app.text == inert(app.text)

"""Images in the prompt: dragged, chosen, removed, kept in drafts and sent; and what is none, or too large."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.folders import journal_of
from maverick_tui.pictures import MOST_BYTES
from maverick_tui.runs.commands import RunShell, SendPrompt
from maverick_tui.ui.run.prompting import _TAKES_NO_IMAGES
from maverick_tui.ui.widgets.images import Images, read_picture
from maverick_tui.ui.widgets.prompt import Prompt
from tests.history.kept import keep_run
from tests.support.runs import Tape
from tests.ui.kept_app import RUN, opened
from tests.ui.running import FedApp, watching
from tests.ui.test_drafts import drafts_of_run, end
from tests.ui.waiting import until

PNG = b"\x89PNG\r\n\x1a\n" + bytes(1_992)


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    file = tmp_path / "my shot.png"
    file.write_bytes(PNG)
    return file


async def paste(pilot: Pilot[Any], text: str) -> None:
    prompt = pilot.app.screen.query_one(Prompt)
    before = prompt.text
    pilot.app.post_message(events.Paste(text))
    await until(pilot, lambda: prompt.text != before)


def notes(app: FedApp) -> list[str]:
    return [note.message for note in app._notifications]


@pytest.mark.parametrize("written", ["{0}", "'{0}' ", '"{0}"', "{1}\n", "file://{2}", "file://localhost{2}\r\n"])
async def test_a_path_is_read_as_terminals_write_it(written: str, shot: Path) -> None:
    text = written.format(shot, str(shot).replace(" ", "\\ "), str(shot).replace(" ", "%20"))
    assert await Images().pasted(text, "") == "[image 1: my shot.png 2 kB] "


async def test_several_are_attached_at_once_and_the_same_one_once(shot: Path) -> None:
    other = shot.with_name("plain")
    other.write_bytes(b"GIF89a")
    images = Images()
    both = await images.pasted(f"'{shot}' {other} '{shot}'", "")
    assert both == "[image 1: my shot.png 2 kB] [image 2: plain 6 B] [image 1: my shot.png 2 kB] "
    assert images.in_paths(f"see {both}") == f"see '{shot}' {other} '{shot}' "
    assert images.sent_with(both) == {
        "[image 1: my shot.png 2 kB]": base64.b64encode(PNG).decode(),
        "[image 2: plain 6 B]": base64.b64encode(b"GIF89a").decode(),
    }
    assert list(images.sent_with("again [image 2: plain 6 B]")) == ["[image 2: plain 6 B]"], "it may be sent again"


async def test_other_texts_stay_texts(shot: Path) -> None:
    notes = shot.with_name("notes.txt")
    notes.write_text("text")
    pipe = shot.with_name("pipe.png")
    os.mkfifo(pipe)
    mixed = (f"look at {shot}", f"{shot} and that", f"'{shot}' {notes}", f"'{shot}")
    others = ("/", "/no/where.png", "file://elsewhere/a.png", "~nobody/a.png", "/a\0.png", "my shot.png")
    odd = (f"/* {'a comment, ' * 30} */", f"/{'long' * 70}.png", "file://[abc", "file:///a%00.png", "/\ud800.png")
    for text in (*mixed, str(notes), str(pipe), *others, *odd):
        assert await Images().pasted(text, "") == "", text


async def test_what_cannot_be_sent_is_told(shot: Path) -> None:
    named = shot.with_name("named.png")
    named.write_bytes(b"%PDF-1.7")
    large = shot.with_name("large.png")
    large.write_bytes(PNG + bytes(MOST_BYTES))
    for file, why in ((named, "is no PNG"), (large, "too large: at most 5.0 MB")):
        with pytest.raises(ConfigError, match=why):
            await Images().pasted(str(file), "")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_picture(shot.with_name("gone.png"))
    images = Images()
    large.write_bytes(PNG + bytes(MOST_BYTES - len(PNG)))
    several = [large.with_name(f"{number}.png") for number in range(4)]
    for file in several:
        file.hardlink_to(large)
    marks = await images.pasted(" ".join(map(str, several[:3])), "")
    with pytest.raises(ConfigError, match=r"15\.0 MB"):
        await images.pasted(str(several[3]), marks)
    assert await images.pasted(str(several[3]), ""), "those that were removed do not count"


async def test_an_image_is_dragged_removed_and_sent(shot: Path) -> None:
    async with watching(Tape().connect().prompt("Go").say("Done.").done()) as (app, pilot):
        prompt = app.run_screen.prompt
        await paste(pilot, f"'{shot}'")
        await until(pilot, lambda: prompt.text == "[image 1: my shot.png 2 kB] ")
        await pilot.press("backspace", "backspace")
        assert prompt.text == "", "it is removed as a whole"
        await pilot.press(*"What is ")
        await paste(pilot, str(shot))
        await pilot.press("backspace", "?", "enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt)
        assert sent.text == "What is [image 1: my shot.png 2 kB]?"
        assert sent.images == {"[image 1: my shot.png 2 kB]": base64.b64encode(PNG).decode()}
        await pilot.press("!")
        await paste(pilot, f"'{shot}'")
        await pilot.press("enter")
        (ran,) = app.kept.take()
        assert isinstance(ran, RunShell)
        assert ran.command == f"'{shot}'", "a command is given its path"
        shot.write_text("no image any more")
        await paste(pilot, str(shot))
        assert prompt.text == str(shot)
        await until(pilot, lambda: "'my shot.png' is no PNG, JPEG, GIF or WebP, whatever it is called." in notes(app))


async def test_an_image_that_is_chosen_is_attached_and_one_that_is_typed_is_a_name(shot: Path) -> None:
    tape = Tape(cwd=str(shot.parent)).connect().prompt("Go").say("Done.").done()
    async with watching(tape) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*"see @shot")
        await until(pilot, lambda: prompt.is_choosing)
        await pilot.press("enter")
        await until(pilot, lambda: prompt.text == "see [image 1: my shot.png 2 kB] ")
        await pilot.press(*"now", "enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt)
        assert list(sent.images) == ["[image 1: my shot.png 2 kB]"]
        await pilot.press(*'see @"my shot.png" ', "enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt)
        assert (sent.text, sent.images) == ('see @"my shot.png"', {})


async def test_an_older_host_is_not_sent_what_it_would_pass_over(shot: Path) -> None:
    from maverick_tui.runs.board import Attachment

    async def heard() -> None:
        return

    async with watching(Tape().connect().prompt("Go").say("Done.").done()) as (app, pilot):
        app.run_model.attached = Attachment(lambda: None, heard, takes_images=False)
        await paste(pilot, str(shot))
        await pilot.press("enter")
        assert app.kept.take() == []
        await until(pilot, lambda: _TAKES_NO_IMAGES in notes(app))
        assert app.run_screen.prompt.text == "[image 1: my shot.png 2 kB]"
        app.run_model.attached = None


@pytest.mark.explore
async def test_a_draft_has_the_path_of_its_image(shot: Path) -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        await paste(pilot, str(shot))
        await until(pilot, drafts_of_run)
        await end(app, pilot, 143)
    (file,) = journal_of(RUN).parent.glob("draft.*")
    kept = json.loads(file.read_text())
    assert kept["images"] == {"[image 1: my shot.png 2 kB]": str(shot)}
    async with opened() as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "[image 1: my shot.png 2 kB] ")
        state = app._navigation.prompt_of(app.run_screen.run)
        assert state.images.paths_in(app.run_screen.prompt.text) == kept["images"]
        await end(app, pilot, 143)
    shot.unlink()
    async with opened() as (app, pilot):
        await until(pilot, lambda: any("cannot be read" in note for note in app.notes))

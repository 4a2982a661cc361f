"""Pictures that go with prompts: the model sees them, by whichever engine, and nothing that is kept has their bytes."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.events import kinds as ev
from maverick_tui.events.wire import to_json
from maverick_tui.executor.model.messages import Image
from maverick_tui.pictures import mark_of, marks_in
from maverick_tui.runs.commands import AnswerPermission, EditPrompt, SendPrompt, SteerPrompt, command_from_json
from maverick_tui.runs.local import HAS_IMAGE
from maverick_tui.runs.shown_pictures import ShownPictures
from tests.conftest import ServeModel
from tests.runs.watching import Watched, watch
from tests.support.agents import Direct, Talker
from tests.support.model import call, fail, say, scene

# One dot, which the CLI reads and makes smaller where it is large.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DATA = base64.b64encode(PNG).decode()
MARK = mark_of(1, "dot.png", len(PNG))


class Reader(Direct):
    allowed_tools = ("Read",)


def show(run: Watched, text: str, prompt_id: str = "shown") -> None:
    sent = SendPrompt(prompt_id, text, images={MARK: DATA})
    run.send(command_from_json(json.loads(json.dumps(to_json(sent)))))


def seen(request: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The pictures of each message that has any."""
    contents = [message["content"] for message in request["messages"] if isinstance(message["content"], list)]
    found = [[block for block in content if block["type"] == "image"] for content in contents]
    return [images for images in found if images]


@pytest.mark.parametrize("agent", [Talker, Direct])
async def test_a_model_sees_what_a_prompt_shows(agent: type[Talker], serve: ServeModel) -> None:
    async with serve(say("A dot.")) as model, watch(agent) as run:
        show(run, f"What is {MARK}?")
        assert (await run.until(ev.TurnEnded)).outcome == "done"
        assert (await run.ask("And what else?")).outcome == "done"
    ((image,),) = seen(model.requests[-1])
    assert image["source"]["media_type"] == "image/png"
    assert base64.b64decode(image["source"]["data"]).startswith(PNG[:8])
    assert MARK in json.dumps(model.requests[-1]["messages"]), "the words say which picture is meant"
    assert run.all(ev.TurnStarted)[0].text == f"What is {MARK}?"
    assert DATA not in json.dumps([to_json(event) for event in run.events]), "what is kept has the name and the size"
    assert not run.all(ev.Noticed)


async def test_a_picture_is_known_by_its_mark_as_long_as_the_run_lives(serve: ServeModel) -> None:
    scenes = [scene(fail(400), prompt="fails"), scene(say("Fine."))]
    async with serve(scenes) as model, watch(Direct, config=MaverickConfig.load()) as run:
        show(run, f"fails {MARK}")
        assert (await run.until(ev.TurnEnded)).outcome == "failed"
        await run.ask(f"again {MARK}")
        again = seen(model.requests[-1])
        await run.ask("[image 7: gone.png 3 kB]")
        run.send(SendPrompt("other", MARK, images={MARK: base64.b64encode(PNG + b"other").decode()}))
        await run.until(ev.TurnEnded, 4)
        assert run.all(ev.TurnStarted)[-1].text != MARK, "another window has another one that it calls the same"
    assert again, "whoever sends the words again sends the picture again"
    (notice,) = run.all(ev.Noticed)
    assert "No image is kept for [image 7: gone.png 3 kB]" in notice.text


async def test_a_prompt_that_waits_keeps_its_picture_and_is_not_steered_into_a_turn(
    serve: ServeModel, home: Path
) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("nothing")
    read = call("Read", file_path=str(home / ".ssh" / "config"))
    async with serve([scene(read, say("Read."), prompt="one"), scene(say("A dot."))]) as model, watch(Reader) as run:
        run.prompt("one")
        asked = await run.until(ev.PermissionAsked)
        show(run, f"look {MARK}")
        run.send(EditPrompt("shown", f"look well at {MARK}"))
        run.send(SteerPrompt("shown"))
        assert run.all(ev.Noticed)[-1].text == HAS_IMAGE
        run.send(AnswerPermission(asked.request, "once"))
        await run.until(ev.TurnEnded, 2)
    assert run.all(ev.TurnStarted)[1].text == f"look well at {MARK}"
    assert seen(model.requests[-1])
    assert not run.all(ev.PromptSteered)


async def test_what_is_no_picture_fails_the_turn_and_not_the_run(serve: ServeModel) -> None:
    async with serve(say("Fine.")), watch(Direct) as run:
        run.send(SendPrompt("p", f"look {MARK}", images={MARK: base64.b64encode(b"%PDF-1.7").decode()}))
        assert (await run.until(ev.TurnEnded)).outcome == "failed"
        assert (await run.ask("on")).outcome == "done"


async def test_an_engine_that_sees_nothing_says_so(serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    from maverick_tui.agent.engine.api.session import ApiSession

    monkeypatch.delattr(ApiSession, "show")
    async with serve(say("Fine.")) as model, watch(Direct) as run:
        show(run, f"look {MARK}")
        await run.until(ev.TurnEnded)
    assert not seen(model.requests[-1])
    assert "takes no images" in run.all(ev.Noticed)[0].text


def test_marks_say_name_and_size_and_are_read_again() -> None:
    names = ["shot.png", "a [b] \n c.png", "x" * 300 + ".png", "", "Bild 1, 3 kB.png"]
    sizes = [12, 1_000, 120_400, 4_900_000]
    marks = [mark_of(number, name, size) for number, (name, size) in enumerate((n, s) for n in names for s in sizes)]
    assert marks[2] == "[image 2: shot.png 120 kB]"
    assert marks_in(" and ".join(marks) + " and [image 3] [image x: y 3 kB]") == marks


def test_pictures_that_two_windows_call_the_same_are_kept_apart() -> None:
    pictures, other = ShownPictures(), base64.b64encode(PNG + b"other").decode()
    mine, longest = f"look at {MARK}", mark_of(1, "x" * 300, 4_900_000)
    assert pictures.keep({MARK: DATA}, mine) == mine
    theirs = pictures.keep({MARK: other}, mine)
    assert marks_in(theirs) != [MARK]
    for text, data in ((mine, PNG), (theirs, PNG + b"other")):
        (shown,) = pictures.shown_by(text)
        assert shown.data == Image.of(data).data
    assert pictures.keep({MARK: other}, mine) == theirs, "sent again it is the same one"
    assert pictures.keep({MARK: DATA}, mine) == mine
    pictures.keep({longest: DATA})
    assert pictures.has_any(pictures.keep({longest: other}, longest))


def test_a_run_forgets_the_oldest_pictures() -> None:
    pictures = ShownPictures()
    marks = [mark_of(number, "a.png", 5_000_000) for number in range(14)]
    data = "x" * 6_000_000
    for mark in marks:
        pictures.keep({mark: data})
    assert pictures.missing(" ".join(marks)) == marks[:4]
    assert pictures.has_any(marks[-1])

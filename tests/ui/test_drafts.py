"""What was typed and not sent is there again after a crash, unless there is a secret in it or it was sent."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui import paths
from maverick_tui.events.kinds import PermissionAsked
from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.ui import drafts as ui_drafts
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.drafts import Draft, Drafts
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.run.prompting import is_shell
from maverick_tui.ui.unsent import Typing, Unsent
from tests.history.kept import keep_run
from tests.masking.examples import RANDOM
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.full_disk import FullDisk
from tests.ui.kept_app import RUN, opened
from tests.ui.running import watching
from tests.ui.waiting import until


def drafts_of_run() -> list[str]:
    return words_in(journal_of(RUN).parent.glob("draft.*"))


def new_drafts() -> list[str]:
    return words_in((paths.user_state() / "drafts").glob("*.json"))


def words_in(files: Iterable[Path]) -> list[str]:
    """What is kept in them; one may go, or have another name, while we look."""
    kept: list[str] = []
    for file in sorted(files):
        with suppress(FileNotFoundError):
            kept.append(json.loads(file.read_text())["text"])
    return kept


def sent() -> list[Path]:
    return sorted((paths.user_state() / "prompts").glob("*.jsonl"))


async def end(app: MaverickApp, pilot: Pilot[Any], code: int) -> None:
    """End it as a signal does, or with 0 as a person does."""
    app._leaving.end_now(code)
    await until(pilot, lambda: app._exit, "it has ended")


async def test_a_draft_of_a_kept_run_comes_back_until_it_is_sent() -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        await pilot.press(*"half a thou")
        await until(pilot, lambda: drafts_of_run() == ["half a thou"])
        (file,) = journal_of(RUN).parent.glob("draft.*")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        await end(app, pilot, 143)
    assert drafts_of_run() == ["half a thou"]
    async with opened() as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "half a thou")
        await pilot.press(*"ght", "enter")
        await until(pilot, lambda: not drafts_of_run(), "it was sent")


@pytest.mark.explore
async def test_a_draft_of_a_real_run_is_the_same_in_the_window_of_the_demo() -> None:
    keep_run(RUN)
    demo = Launch(Path.cwd(), is_demo=True)
    async with opened(launch=demo) as (app, pilot):
        await pilot.press(*"half a thou")
        await until(pilot, lambda: drafts_of_run() == ["half a thou"])
        await end(app, pilot, 143)
    async with opened(launch=demo) as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "half a thou")


async def test_what_was_typed_a_moment_before_the_window_goes_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_drafts, "AFTER_TYPING", 60.0)
    keep_run(RUN)
    async with opened() as (app, pilot):
        await pilot.press(*"half a thou")
        await end(app, pilot, 129)
    assert drafts_of_run() == ["half a thou"]


async def test_a_draft_is_kept_while_somebody_types_on() -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        drafts, run = app._navigation.drafts, app.run_model
        drafts.keep(run, Draft("half", {}, {}))
        clock, _ = drafts._waiting[run.run_id]
        drafts.keep(run, Draft("half a thou", {}, {}))
        assert drafts._waiting[run.run_id][0] is clock, "a further key does not put it off"
        await until(pilot, lambda: drafts_of_run() == ["half a thou"])


@pytest.mark.explore
async def test_each_of_two_windows_keeps_its_own_draft() -> None:
    keep_run(RUN)
    async with opened() as (first, first_pilot):
        await first_pilot.press(*"long thought")
        await until(first_pilot, lambda: drafts_of_run() == ["long thought"])
        async with opened() as (second, pilot):
            await pilot.press(*"quick one")
            await until(pilot, lambda: sorted(drafts_of_run()) == ["long thought", "quick one"])
            assert second.run_screen.prompt.text == "quick one", "what somebody else types is not taken from them"
            second.run_screen.prompt.clear()
            await until(pilot, lambda: drafts_of_run() == ["long thought"], "the second one is not wanted any more")
            await pilot.press(*"another")
            await until(pilot, lambda: len(drafts_of_run()) == 2)
            await end(second, pilot, 129)
        await end(first, first_pilot, 143)
    async with opened() as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "long thought\nanother", "both are gone")
        await until(pilot, lambda: drafts_of_run() == ["long thought\nanother"], "and it is one draft now")
        async with opened() as (other, other_pilot):
            await other_pilot.press(*"x")
            await until(other_pilot, lambda: len(drafts_of_run()) == 2)
            assert other.run_screen.prompt.text == "x", "nobody has it twice"
            await end(other, other_pilot, 0)
        await until(pilot, lambda: drafts_of_run() == ["long thought\nanother"])


KILLED = """
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.unsent import Typing, Unsent
window = Unsent()
file = window.file(Path(sys.argv[1]), "draft", sys.argv[2])
file.write_text('{"text": "of another process"}')
print(file, flush=True)
sys.stdin.read()
"""


async def test_a_draft_is_its_process_s_as_long_as_that_lives() -> None:
    folder = keep_run(RUN).parent
    command = [sys.executable, "-I", "-c", KILLED, str(folder), RUN]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        theirs = Path(process.stdout.readline().strip())
        window = Unsent()
        assert window.take([theirs]) == []
        process.kill()
        process.wait()
        (ours,) = window.take([theirs])
        assert not theirs.exists()
        assert json.loads(ours.read_text())["text"] == "of another process"
        assert Unsent().take([ours]) == [], "it has an owner who lives"
        window.let_go()
        assert len(Unsent().take([ours])) == 1


@pytest.mark.explore
async def test_a_draft_that_could_not_be_shown_is_for_the_next_window() -> None:
    keep_run(RUN)
    journal_of(RUN).with_name("draft.json").write_text(json.dumps({"pid": 1, "text": "of an earlier version"}))
    async with opened() as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "of an earlier version")
        await until(pilot, lambda: not app._navigation.drafts._waiting and not app._navigation.drafts._tasks)
        await end(app, pilot, 143)
    model = app.run_model
    taking = Drafts(Path(), window := Unsent(), print, bool)
    assert (await taking.read(model, is_new=False)).text == "of an earlier version"
    await taking.drop_all()
    window.let_go()
    assert drafts_of_run() == ["of an earlier version"], "it was in no prompt"


async def test_a_draft_stays_beside_its_journal_while_the_run_is_not_read_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_run(RUN)
    as_kept(monkeypatch)
    journal_of(RUN).with_name("draft.json").write_text(json.dumps({"text": "half a thou"}))
    run = RunModel(RUN, "a", Board(lambda *_: None))
    drafts = Drafts(Path(), Unsent(), print, bool)
    left = await drafts.read(run, is_new=False)
    drafts.is_shown(run, left)
    drafts.keep(run, Draft(f"{left.text}ght", {}, {}))
    await drafts.keep_now()
    assert (drafts_of_run(), new_drafts()) == (["half a thought"], [])


async def test_where_runs_are_not_kept_nobody_asks_again_and_again() -> None:
    drafts = Drafts(Path(), Unsent(), print, lambda: False)
    far, broken, coming = (RunModel(name, "a", Board(lambda *_: None)) for name in ("far", "broken", "coming"))
    far.machine, far.has_journal = "there", True
    for event in Tape("a").prompt("Go").say("It cannot be loaded.").events:
        broken.store.apply(event)
    for run in (far, broken, coming):
        drafts.keep(run, Draft("typed", {}, {}))
        assert not drafts.would_keep(run, "typed")
    assert [*drafts._waiting] == ["coming"], "it may be a kept one of somebody else"
    await drafts.drop_all()


async def test_a_secret_is_not_kept_and_that_is_told_once() -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        await pilot.press(*"use this: ")
        await until(pilot, drafts_of_run)
        app.run_screen.prompt.insert_here(f"api_key={RANDOM}")
        await until(pilot, lambda: not drafts_of_run())
        await until(pilot, lambda: any("secret" in note for note in app.notes))


async def test_what_is_too_long_to_be_kept_is_told_once_and_what_was_kept_before_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ui_drafts, "LONGEST", 40)
    keep_run(RUN)
    async with opened() as (app, pilot):
        await pilot.press(*"my own words ")
        await until(pilot, lambda: drafts_of_run() == ["my own words "])
        app.run_screen.prompt.insert_here("long words " * 10)
        await until(pilot, lambda: ui_drafts.TOO_LONG_TOLD in app.notes)
        await pilot.press(*"and more")
        assert app.notes.count(ui_drafts.TOO_LONG_TOLD) == 1
        assert drafts_of_run() == ["my own words "]


async def test_a_draft_that_the_disk_did_not_take_is_kept_once_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_drafts, "TRY_AGAIN", 0.01)
    keep_run(RUN)
    async with opened() as (app, pilot):
        disk = FullDisk(monkeypatch)
        await pilot.press(*"half a thou")
        await until(pilot, lambda: disk.refused > 2, "it is tried again")
        assert [note for note in app.notes if "No space left on device" in note] == [app.notes[-1]], "told once"
        disk.is_full = False
        await until(pilot, lambda: drafts_of_run() == ["half a thou"])
        app.clear_notifications()
        disk.is_full = True
        await pilot.press(*"ght")
        await until(pilot, lambda: len([note for note in app.notes if "No space" in note]) == 1, "it is full anew")


@pytest.mark.explore
async def test_a_draft_that_the_disk_did_not_take_is_kept_when_the_window_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_drafts, "TRY_AGAIN", 600.0)
    keep_run(RUN)
    async with opened() as (app, pilot):
        disk = FullDisk(monkeypatch)
        await pilot.press(*"half a thou")
        await until(pilot, lambda: disk.refused and not app._navigation.drafts._tasks)
        disk.is_full = False
        await end(app, pilot, 129)
    assert drafts_of_run() == ["half a thou"]


@pytest.mark.explore
async def test_what_is_sent_while_the_disk_is_full_is_no_draft_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        disk, drafts = FullDisk(monkeypatch), app._navigation.drafts
        drafts.keep(app.run_model, Draft("half a thou", {}, {}))
        drafts._keep_waiting(RUN)
        drafts.drop(RUN)  # while it is being written
        await until(pilot, lambda: disk.refused and not drafts._tasks)
        assert not drafts._waiting


@pytest.mark.parametrize("begun", ["AKIAIOSFODNN7EX", "--password 'hunter2x"])
async def test_what_may_be_the_beginning_of_a_secret_is_not_kept(begun: str) -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        app.run_screen.prompt.insert_here(f"the key is {begun}")
        await until(pilot, drafts_of_run)
        assert "the key is" in drafts_of_run()[0]
        assert begun[-6:] not in drafts_of_run()[0]


def test_what_may_be_the_beginning_of_a_secret_waits_wherever_it_is_typed() -> None:
    typing = Typing()
    assert typing.known("run psql and tell me why") == "run psql and tell me why"
    for typed in ("postgres://me:S3cret", "postgres://me:S3cretPassw0rd9"):
        text = f"run psql {typed} and tell me why"
        for _ in range(2):  # also when it is written once more, at the end
            assert typing.known(text) == "run psql postgres and tell me why"
    done = "run psql postgres://localhost/shop and tell me why"
    typing.known(done)
    assert typing.known(f"{done}, please") == f"{done}, please", "somebody types elsewhere by now"
    assert typing.known(f"{done} sk-ant-api03-{RANDOM[:12]}") == f"{done} "


@pytest.mark.parametrize(
    "text",
    sampled(
        [
            "Make the password field hidden and the form wider, then write tests for it, please.",
            "See commit 3ba15899d2c1f2a7f7b9a1e6c2d4b8f0a1c3e5d7 and mend what it has broken here.",
        ],
        2,
    ),
)
async def test_a_text_about_secrets_is_kept(text: str) -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        app.run_screen.prompt.insert_here(text)
        await until(pilot, drafts_of_run)
        assert text.rpartition(" ")[0] in drafts_of_run()[0]


def as_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunModel, "is_kept_somewhere", property(lambda _run: True))


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
        await until(pilot, lambda: new_drafts() == ["to begin with"])
        await end(app, pilot, 143)
    async with watching(Tape().connect()) as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "to begin with")
        await pilot.press("enter")
        await until(pilot, lambda: not new_drafts())


async def test_what_was_typed_before_it_is_known_whether_the_run_is_kept_is_kept_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ui_drafts, "AFTER_TYPING", 0.01)
    monkeypatch.setenv("MAVERICK_KEEP_RUNS", "false")
    async with watching() as (app, pilot):
        await pilot.press(*"at once")
        assert not new_drafts()
        as_kept(monkeypatch)
        app.tell(Tape().connect())
        await until(pilot, lambda: new_drafts() == ["at once"])


async def test_a_reason_that_was_begun_is_no_part_of_the_prompt_when_it_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    as_kept(monkeypatch)
    asking = Tape().connect().prompt("Go").ask("Bash", {"command": "ls"}).wait(1)
    (request,) = (event.request for event in asking.events if isinstance(event, PermissionAsked))
    async with watching(asking) as (app, pilot):
        folder = journal_of(app.run_model.run_id).parent
        folder.mkdir(parents=True)
        await pilot.press(*"later", "ctrl+r", *"because")
        await end(app, pilot, 129)
    (file,) = folder.glob("draft.*")
    kept = json.loads(file.read_text())
    assert (kept["text"], kept["reasons"]) == ("later", {request: "because"})

    asking = Tape().connect().prompt("Go").ask("Bash", {"command": "ls"}).wait(1)
    async with watching(asking) as (app, pilot):
        draft = journal_of(app.run_model.run_id).with_name("draft.json")
        draft.parent.mkdir(parents=True)
        draft.write_text(json.dumps(kept | {"reasons": {request: "because", "gone": "of a question that is gone"}}))
        app._navigation.restore_draft(app.run_model)
        prompt = app.run_screen.prompt
        await until(pilot, lambda: prompt.text == "later\nof a question that is gone")
        await pilot.press("ctrl+r")
        assert prompt.text == "because"


@pytest.mark.parametrize("typed", ["!rm -rf /var/lib/app/tmp", "!rm -rf build"])
async def test_a_draft_that_lacks_its_end_comes_back_as_no_command_and_says_so(typed: str) -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        app.run_screen.prompt.insert_here(typed)
        await until(pilot, drafts_of_run)
        await end(app, pilot, 129)
    (kept,) = drafts_of_run()
    assert typed.startswith(kept)
    async with opened() as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text)
        told = [one.message for one in app._notifications]
        if kept == typed:
            assert (app.run_screen.prompt.text, ui_drafts.END_TOLD in told) == (typed, False)
        else:
            assert (app.run_screen.prompt.text, ui_drafts.END_TOLD in told) == (f" {kept}", True)


async def test_what_two_windows_have_left_is_no_command_that_somebody_has_typed() -> None:
    keep_run(RUN)
    for number, text in enumerate(("!ls", "and tell me why")):
        journal_of(RUN).with_name(f"draft.gone-{number}.{RUN}.json").write_text(json.dumps({"text": text}))
    async with opened() as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == " !ls\nand tell me why")


async def test_what_was_typed_for_a_question_comes_back_as_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    as_kept(monkeypatch)
    asked = {"questions": [{"question": "Which one?", "options": [{"label": "Red"}, {"label": "Blue"}]}]}
    async with watching(Tape().connect().prompt("Go").ask("AskUserQuestion", asked).wait(1)) as (app, pilot):
        folder = journal_of(app.run_model.run_id).parent
        folder.mkdir(parents=True)
        await pilot.press(*"!id")
        await end(app, pilot, 129)
    assert words_in(folder.glob("draft.*")) == [" !id"]

    async with watching(Tape().connect().prompt("Go")) as (app, pilot):
        run = app.run_model
        draft = journal_of(run.run_id).with_name("draft.json")
        draft.parent.mkdir(parents=True)
        draft.write_text(json.dumps({"text": "", "reasons": {"gone": "!id"}}))
        app._navigation.show_picker()
        await until(pilot, lambda: app._navigation.screen_of(run) is None)
        app._navigation.restore_draft(run)
        await until(pilot, lambda: app._navigation.prompt_of(run).draft == " !id")


@pytest.mark.parametrize("keeps", ["true", "false"])
async def test_what_was_typed_when_the_window_goes_while_the_run_starts_is_kept_where_runs_are(
    keeps: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_KEEP_RUNS", keeps)
    async with watching() as (app, pilot):
        await until(pilot, app._navigation._setup.ready.done, "the settings are read")
        await pilot.press(*"at once")
        await end(app, pilot, 129)
    assert new_drafts() == (["at once"] if keeps == "true" else [])


async def test_what_was_sent_is_a_draft_again_if_the_window_goes_before_its_run_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAVERICK_KEEP_RUNS", "true")
    async with watching() as (app, pilot):
        await until(pilot, app._navigation._setup.ready.done, "the settings are read")
        app.run_model.handle = None  # it is being started
        app.run_model.ask("!make it so")  # a prompt, as the command line has it, and no command of the person's own
        for line in ("the first", "taken back", "changed"):
            app.run_screen.prompt.set_text(line)
            await pilot.press("enter")
        ids = {text: key for key, text in app.run_model.store.queue.items()}
        app.run_model.take_back(ids["taken back"])
        app.run_model.edit_prompt(ids["changed"], "the second")
        await pilot.press(*"half a thi")
        await end(app, pilot, 129)
    (draft,) = new_drafts()
    assert draft.strip() == "!make it so\nthe first\nthe second\nhalf a thi"
    assert not is_shell(draft)


async def test_what_is_new_in_the_demo_leaves_no_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_drafts, "AFTER_TYPING", 0.01)
    monkeypatch.setenv("MAVERICK_KEEP_RUNS", "true")
    monkeypatch.setattr(Launch, "is_demo", True)
    async with watching() as (app, pilot):
        await until(pilot, app._navigation._setup.ready.done, "the settings are read")
        assert app._navigation.keeps_runs
        await pilot.press(*"at once")
        await end(app, pilot, 129)
    assert new_drafts() == []


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

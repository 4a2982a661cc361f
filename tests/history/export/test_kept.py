"""What is exported of a kept run: how far it had come, and no secret that is known by now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.cli.printer import Printer
from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.export.cast import as_cast
from maverick_tui.history.export.jsonl import as_jsonl
from maverick_tui.history.export.kept import kept_run, masked, open_kept
from maverick_tui.history.export.markdown import kept_as_markdown
from maverick_tui.history.export.page import as_page
from maverick_tui.history.whole_files import write_whole
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.lines import Decoder
from maverick_tui.journal.writing import Journal
from tests.masking.keys import a_key, told_of
from tests.runs.test_store import EVERYTHING
from tests.support.cases import each
from tests.support.runs import Tape

RUN = "7f3a00c0ffee"
KEY = "sk-ant-api03-abcdefghijklmnop"


@pytest.fixture
def journal() -> Iterator[Journal]:
    one = Journal(journal_of(RUN), print)
    yield one
    one.close()


def begun() -> Tape:
    return Tape().connect().prompt("Look").say("I will loo", is_open=True)


def everywhere() -> dict[str, str]:
    """The run in each format that says how it stands."""
    run = open_kept(RUN)
    printed = as_cast(run, lambda stream, width: Printer(stream, width, is_recorded=True))
    return {"md": kept_as_markdown(run), "html": "".join(as_page(run)), "cast": "".join(printed)}


def test_a_run_that_goes_on_is_said_to(journal: Journal) -> None:
    journal.write(0, begun().events)
    for text in everywhere().values():
        assert "still going on when it was exported" in text
        assert " loo" in text
    assert open_kept(RUN).state == "running"
    assert "more is to come" in everywhere()["md"]


def test_a_run_at_rest_whose_process_lives_is_what_its_last_turn_came_to(journal: Journal) -> None:
    journal.write(0, Tape().connect().prompt("Look").say("I see.").done().events)
    for text in everywhere().values():
        assert "still going on" not in text
        assert "was open, and at rest, when it was exported" in text
    assert open_kept(RUN).state == "done"


def test_a_run_whose_process_is_gone_is_interrupted_with_all_that_came(journal: Journal) -> None:
    journal.write(0, [*begun().events, ev.ToolCalled(2e9, "c", "Bash", {"command": "sleep 9"})])
    journal.close()
    assert open_kept(RUN).state == "interrupted"
    for text in everywhere().values():
        assert "was interrupted: its process was gone" in text
        assert "sleep 9" in text
    assert "I will loo\n" in everywhere()["md"]
    assert "not run" in everywhere()["html"]


@pytest.mark.parametrize(("outcome", "state"), [("done", "done"), ("failed", "failed"), ("interrupted", "interrupted")])
def test_a_run_that_has_ended_needs_no_note(outcome: ev.Outcome, state: str) -> None:
    tape = Tape().connect().prompt("Look").done(outcome)
    run = kept_run(RUN, [*tape.events, ev.RunEnded(tape.at)], was_alive=False)
    assert (run.state, run.note) == (state, "")


def test_a_run_that_was_never_asked_anything_has_ended() -> None:
    assert kept_run(RUN, [*Tape().events, ev.RunEnded(1.0)]).state == "ended"


def test_a_damaged_journal_is_exported_as_far_as_it_can_be_read(journal: Journal) -> None:
    journal.write(0, begun().done().events)
    journal.close()
    path = journal_of(RUN)
    path.write_bytes(path.read_bytes() + b'{"seq": 999, "type": "run_ended", "at": 1}\n')
    assert "is damaged after" in open_kept(RUN).note
    assert "is damaged after" in everywhere()["md"]


@pytest.mark.parametrize("content", [b"", b'{"seq": 0, "type"', b"nonsense\n"])
def test_a_journal_without_an_event_is_an_error(journal: Journal, content: bytes) -> None:
    journal.write(0, begun().events)
    journal.close()
    journal_of(RUN).write_bytes(content)
    with pytest.raises(ConfigError, match="holds no events"):
        open_kept(RUN)


def test_what_has_become_a_secret_since_is_masked_also_across_events(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = "an-ordinary-word-then"
    tape = Tape().connect().prompt(f"Use {word}").say(f"It is {word}, and {word}", chunk=4)
    tape.tool("Bash", {"command": f"echo {word}"}, word).say(f"open {word}", chunk=3, is_open=True)
    journal.write(0, tape.events)
    journal.close()
    monkeypatch.setenv("SHOP_TOKEN", word)
    raw, run = open_kept(RUN, is_raw=True), open_kept(RUN)
    assert kept_as_markdown(raw).count(word) == 7
    for text in (*everywhere().values(), "".join(as_jsonl(run))):
        assert word not in text
        assert "[secret]" in text
    assert len(run.events) == len(raw.events) == len(tape.events)


def test_what_was_masked_in_the_journal_stays_masked(journal: Journal) -> None:
    journal.write(0, Tape().connect().prompt(f"Use {KEY}").done().events)
    assert KEY not in kept_as_markdown(open_kept(RUN, is_raw=True))


def test_a_journal_of_earlier_that_has_a_key_line_by_line_is_exported_without_it() -> None:
    key = a_key("RSA", "indented", 6, 64, is_cut=False)
    edit = {"file_path": "a.yml", "old_string": "a", "new_string": "b"}
    patch = {"structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": [f"+{one}" for one in key.text.split("\n")]}]}
    tape = Tape().connect().prompt("Indent it").tool("Edit", edit, "ok", detail=patch)
    run = kept_run(RUN, masked(tape.events))
    for text in (kept_as_markdown(run), "".join(as_page(run)), "".join(as_jsonl(run))):
        assert told_of(key, text) == []
        assert "[secret]" in text


@each("count", range(1, len(EVERYTHING) + 1, 4))
def test_masking_leaves_events_without_secrets_as_they_are(count: int) -> None:
    assert masked(EVERYTHING[:count]) == EVERYTHING[:count]


def test_every_kind_of_event_can_be_exported_and_lines_read_as_a_journal() -> None:
    run = kept_run(RUN, EVERYTHING)
    lines = list(as_jsonl(run))
    decoder = Decoder()
    decoder.add(line.encode() for line in lines)
    assert decoder.events == EVERYTHING
    assert {json.loads(line)["type"] for line in lines} == {event.type for event in EVERYTHING}
    assert "Really: look" in "".join(as_page(run))
    assert list(as_cast(run, lambda stream, width: Printer(stream, width, is_recorded=True)))


# -- files -------------------------------------------------------------------------------------------------------------


def broken() -> Iterator[str]:
    yield "half"
    raise OSError(28, "No space left on device")


def test_a_file_that_cannot_be_finished_leaves_what_was_there() -> None:
    target = Path("run.md")
    with pytest.raises(OSError, match="No space"):
        write_whole(target, broken())
    assert not [*Path().iterdir()]
    target.write_text("before")
    with pytest.raises(OSError, match="No space"):
        write_whole(target, broken())
    assert [(path.name, path.read_text()) for path in Path().iterdir()] == [("run.md", "before")]


def test_a_new_file_is_its_owners_alone_and_one_that_is_replaced_keeps_its_mode_and_its_links() -> None:
    target, link = Path("run.md"), Path("link.md")
    assert write_whole(target, ["ä", "b"]) == 3
    assert target.stat().st_mode & 0o777 == 0o600
    target.chmod(0o644)
    link.symlink_to(target)
    write_whole(link, ["new"])
    assert link.is_symlink()
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o644)

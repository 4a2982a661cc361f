"""RemoteRun: the run as its reader has it, whatever becomes of the line and of the host."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import LONGEST_NOTICE, SCHEMA
from maverick_tui.exceptions import ConfigError
from maverick_tui.host import remote as remote_module
from maverick_tui.host import ways
from maverick_tui.host.lines import LONGEST, LONGEST_OF_OLDER, VERSION, HostHello, ReaderHello, hello_line, line
from maverick_tui.host.listening import listening
from maverick_tui.host.remote import RemoteRun
from maverick_tui.host.ways import LocalWay
from maverick_tui.masking.redact import redact
from maverick_tui.runs.commands import AnswerPermission, DropPrompt, EditPrompt, Interrupt, SendPrompt
from maverick_tui.runs.store import GONE
from tests.history.kept import keep
from tests.host.served_run import RUN, Served, serving, until
from tests.support.runs import Tape


def tape() -> Tape:
    return Tape().connect().prompt("Go").say("An answer in some words.")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_module, "AGAIN_AFTER", (0.01,) * 200)


async def test_its_log_is_the_run_s_from_any_moment_to_the_end() -> None:
    events = list(tape().done().events)
    async with serving(events[:10]) as run:
        remote = RemoteRun(RUN)
        reading = asyncio.create_task(remote.serve())
        await until(lambda: len(remote.events) == 10)
        run.tell(events[10:])
        run.events.close()
        await reading
    assert remote.events.since(0) == events
    assert remote.events.is_closed


async def test_what_is_wanted_before_there_is_a_line_is_sent() -> None:
    remote = RemoteRun(RUN)
    remote.send(SendPrompt("p", "Go"))
    async with serving() as run:
        reading = asyncio.create_task(remote.serve())
        await until(lambda: run.commands)
        remote.send(Interrupt())
        await until(lambda: len(run.commands) == 2)
        run.events.close()
        await reading
    assert run.commands == [SendPrompt("p", "Go"), Interrupt()]


async def test_a_line_that_breaks_is_taken_up_again_and_nothing_is_missed_or_done_twice() -> None:
    events = list(tape().done().events)
    async with serving() as run:
        remote = RemoteRun(RUN)
        reading = asyncio.create_task(remote.serve())
        for number, event in enumerate(events):
            run.tell([event])
            if number % 4 == 0:
                remote.send(SendPrompt(f"p{number}", "Go"))
                for task in list(run.server._readers):
                    task.cancel()
                await asyncio.sleep(0)
        await until(lambda: len(run.commands) == len(range(0, len(events), 4)))
        run.events.close()
        await reading
    assert remote.events.since(0) == events
    ids = [command.prompt_id for command in run.commands if isinstance(command, SendPrompt)]
    assert sorted(ids) == sorted(set(ids))


async def test_an_answer_to_a_process_that_is_gone_is_not_one_to_the_next() -> None:
    class ComesBack(LocalWay):
        """A run that goes on in another process."""

        async def may_live(self, run_id: str) -> bool:
            return True

    said: list[str] = []
    served: AbstractAsyncContextManager[Served] = serving(tape().events)
    first = await served.__aenter__()
    remote = RemoteRun(RUN, on_refused=said.append, way=ComesBack())
    reading = asyncio.create_task(remote.serve())
    await until(lambda: len(remote.events) == len(first.events))
    await served.__aexit__(asyncio.CancelledError, asyncio.CancelledError(), None)
    await until(lambda: remote._line is None)
    for command in (AnswerPermission("question-1", "once"), Interrupt(), SendPrompt("p", "Go")):
        remote.send(command)
    async with serving(tape().events) as second:
        await until(lambda: second.commands)
        second.events.close()
        await reading
    assert second.commands == [SendPrompt("p", "Go")]
    assert ["your answer" in said[0], "your interrupt" in said[1]] == [True, True]


async def test_the_end_of_a_host_that_was_killed_is_told_as_its_journal_would() -> None:
    served: AbstractAsyncContextManager[Served] = serving(tape().events)
    run = await served.__aenter__()
    remote = RemoteRun(RUN)
    reading = asyncio.create_task(remote.serve())
    await until(lambda: len(remote.events) == len(run.events))
    for task in list(run.server._readers):
        task.cancel()
    await served.__aexit__(asyncio.CancelledError, asyncio.CancelledError(), None)
    await reading
    *_, turn, end = remote.events.since(0)
    assert isinstance(turn, ev.TurnEnded)
    assert isinstance(end, ev.RunEnded)
    assert (turn.outcome, end.reason) == ("interrupted", GONE)


async def test_an_end_that_a_reader_has_missed_is_in_the_journal() -> None:
    tape_ = tape()
    served: AbstractAsyncContextManager[Served] = serving(tape_.events)
    run = await served.__aenter__()
    remote = RemoteRun(RUN)
    reading = asyncio.create_task(remote.serve())
    await until(lambda: len(remote.events) == len(run.events))
    events = [*tape_.done().events, ev.RunEnded(tape_.at, "closed")]
    keep(RUN, events)
    await served.__aexit__(asyncio.CancelledError, asyncio.CancelledError(), None)
    await reading
    assert remote.events.since(0) == events


async def test_what_is_too_long_is_not_sent_and_what_was_not_heard_is_known() -> None:
    said: list[str] = []
    remote = RemoteRun(RUN, on_refused=said.append)
    remote.send(SendPrompt("p", "x" * LONGEST))
    remote.send(SendPrompt("q", "Go"))
    assert [text for text in said if "too long" in text]
    remote.hello = HostHello(RUN, "reviewer", 1, "0.1", 1, 0, 0.0)  # it knows no images
    remote.send(SendPrompt("o", "x" * LONGEST_OF_OLDER))
    assert len(said) == 2
    remote.send(SendPrompt("r", "Delete it"))
    remote.send(DropPrompt("r"))
    assert remote.unsent == {"q": "Go"}, "what was taken back is not given back"
    remote.send(EditPrompt("q", "Go on"))
    remote.send(EditPrompt("s", "Changed, of one that was heard"))
    assert remote.unsent == {"q": "Go on", "s": "Changed, of one that was heard"}
    remote.send(AnswerPermission("a", "once"))
    remote.send(AnswerPermission("b", "deny", "Not there"))
    remote.send(AnswerPermission("c", "once", answers={"Which colour?": "As the sea"}))
    assert [*remote.unsent.values()][2:] == ["Not there", "As the sea"], "answers have words, too"


async def test_one_that_only_reads_says_so_and_sends_nothing() -> None:
    said: list[str] = []
    async with serving() as run:
        remote = RemoteRun(RUN, is_read_only=True, on_refused=said.append)
        reading = asyncio.create_task(remote.serve())
        await until(lambda: remote.hello is not None)
        remote.send(Interrupt())
        run.events.close()
        await reading
    assert (said, run.commands) == (["You are only reading this run."], [])


async def test_a_kind_of_event_that_is_not_known_counts_and_is_passed_over() -> None:
    class Newer(ev.Event):
        """What a later version may tell."""

        __slots__ = ()

    async with serving() as run:
        remote = RemoteRun(RUN)
        reading = asyncio.create_task(remote.serve())
        run.tell([Newer(1.0), ev.Noticed(2.0, "known", "This is.")])
        run.events.close()
        await reading
    assert [type(event).__name__ for event in remote.events.since(0)] == ["Noticed", "Noticed"]
    assert remote.events.since(1) == [ev.Noticed(2.0, "known", "This is.")]


@pytest.mark.parametrize("schema", [1, SCHEMA + 1], ids=["older", "newer"])
async def test_a_host_of_another_version_is_read_or_it_is_said_what_cannot_be(schema: int) -> None:
    """A host lives on while Maverick is updated around it, or while an older one looks at it."""
    hello = {"run_id": RUN, "agent": "reviewer", "pid": 1, "maverick": "0.0.1", "schema": schema, "events": 1}

    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(line({"hello": {**hello, "started": 1.0, "version": VERSION, "what_nobody_knows": [1]}}))
        writer.write(line({"what_nobody_knows": {}}))
        writer.write(line({"seq": 0, "type": "noticed", "at": 1.0, "kind": "known", "text": "This is.", "odd": 1}))
        writer.write(line({"end": 1}))
        writer.close()

    async with listening(RUN, other):
        remote = RemoteRun(RUN)
        if schema > SCHEMA:
            with pytest.raises(ConfigError, match=r"a newer Maverick \(0\.0\.1\)"):
                await remote.serve()
        else:
            await remote.serve()
            assert remote.events.since(0) == [ev.Noticed(1.0, "known", "This is.")]


async def test_what_a_host_says_is_secret_is_masked_by_those_who_have_asked_for_it() -> None:
    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        hello = HostHello(RUN, "reviewer", 1, "0.0.1", SCHEMA, 0, 1.0, state={})
        said: list[dict[str, object]] = [{"secrets": value} for value in (["Zq9-of-a-server", 7], "strange", None)]
        writer.writelines([hello_line(hello), *map(line, said), line({"end": 0})])
        writer.close()

    async with listening(RUN, other):
        await RemoteRun(RUN).serve()
        assert redact("Zq9-of-a-server") == "Zq9-of-a-server"
        await RemoteRun(RUN, learns_secrets=True).serve()
    assert redact("Zq9-of-a-server") == "[secret]"
    assert redact("strange") == "strange"


def test_what_a_host_refuses_is_no_longer_than_a_notice() -> None:
    said: list[str] = []
    RemoteRun(RUN, on_refused=said.append)._take({"refused": "x" * 1_000_000})
    assert [len(why) <= 2 * LONGEST_NOTICE for why in said] == [True]


async def test_who_is_refused_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = tuple({**ReaderHello._field_defaults, "version": 99}.values())
    monkeypatch.setattr("maverick_tui.host.lines.ReaderHello.__new__.__defaults__", newer)
    async with serving() as run:
        with pytest.raises(ConfigError, match="refuses"):
            await RemoteRun(RUN).serve()
        run.events.close()


@pytest.mark.parametrize("longest", [200, 4_000])
async def test_a_line_that_nobody_has_room_for_is_told_and_not_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, longest: int
) -> None:
    monkeypatch.setattr(ways, "LONGEST_EVENT", longest)  # less than a hello takes, and more
    async with serving(tape().say("x" * 20_000).events) as run:
        remote = RemoteRun(RUN)
        with pytest.raises(ConfigError, match="more in one line than anybody takes"):
            await remote.serve()
        run.events.close()

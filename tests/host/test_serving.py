"""Readers of a run, the wicked among them: each has what it asked for, and none disturbs another or the run."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.wire import to_json
from maverick_tui.exceptions import ConfigError
from maverick_tui.host import listening as host_listening
from maverick_tui.host.lines import LONGEST, VERSION, events_of
from maverick_tui.host.places import has_host, hosted_runs, make_runtime_folder, socket_of
from maverick_tui.masking.redact import conceal, redact
from maverick_tui.runs.commands import CloseRun, Interrupt, SendPrompt
from tests.host.served_run import RUN, Served, serving, until
from tests.support.runs import Tape

HELLO = {"hello": {"version": VERSION, "since": 0}}


def answered() -> list[ev.Event]:
    return list(Tape().connect().prompt("Go").say("An answer in some words.").done().events)


class Client:
    """Somebody at the socket, who says whatever it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def say(self, value: Any) -> None:
        self.writer.write(value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n")

    async def hear(self) -> dict[str, Any] | None:
        async with asyncio.timeout(60):
            line = await self.reader.readline()
        return json.loads(line) if line else None

    async def hear_all(self) -> list[dict[str, Any]]:
        heard = []
        with suppress(ConnectionError):  # it was refused in the middle of a word
            while (said := await self.hear()) is not None:
                heard.append(said)
        return heard


@asynccontextmanager
async def client(*said: Any) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_unix_connection(str(socket_of(RUN)), limit=1 << 17)
    one = Client(reader, writer)
    for value in said:
        one.say(value)
    try:
        yield one
    finally:
        writer.close()


async def test_a_reader_hears_who_it_is_all_events_and_the_end() -> None:
    events = answered()
    async with serving(events[:5]) as run, client(HELLO) as reader:
        hello = await reader.hear()
        assert hello is not None
        told = hello["hello"]
        assert (told["run_id"], told["agent"], told["pid"], told["events"]) == (RUN, "reviewer", os.getpid(), 5)
        run.tell(events[5:])
        run.events.close()
        heard = await reader.hear_all()
    assert heard[-1] == {"end": len(events)}
    assert [event for said in heard[:-1] for event in events_of(said)] == events


async def test_one_that_comes_back_hears_what_it_has_missed() -> None:
    events = answered()
    async with serving(events) as run, client({"hello": {"version": VERSION, "since": 7}}) as reader:
        run.events.close()
        heard = await reader.hear_all()
    at = 7
    for said in heard[1:-1]:
        assert said["seq"] == at
        told = events_of(said)
        assert told == events[at : at + len(told)]
        at += len(told)
    assert at == len(events)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"rubbish\n", "not a line of JSON"),
        (b"[]\n", "not a JSON object"),
        (b"\xff\xfe\n", "not a line of JSON"),
        (b"[" * 100_000 + b"\n", "not a line of JSON"),
        ({"do": {"type": "interrupt"}}, "begins with `hello`"),
        ({"hello": {"version": VERSION + 1, "since": 0}}, f"this speaks version {VERSION}"),
        ({"hello": {"version": VERSION, "since": -1}}, "no way to begin"),
        ({"hello": {"version": VERSION, "since": "all"}}, "no way to begin"),
        ({"hello": {"version": VERSION, "since": 10_000}}, "there are only"),
        (b"x" * (2 * LONGEST + 100_000), "too long"),
        ([HELLO, b"rubbish\n"], "not a line of JSON"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_who_speaks_strangely_is_refused_and_nobody_else_notices(said: Any, why: str) -> None:
    async with serving(answered()) as run, client(HELLO) as other:
        async with client(*(said if isinstance(said, list) else [said])) as reader:
            heard = await reader.hear_all()
        assert why == "too long" or why in heard[-1]["refused"]
        run.events.close()
        assert (await other.hear_all())[-1] == {"end": len(run.events)}
        assert run.commands == []


@pytest.mark.parametrize("command", [{"type": "launch_rockets"}, {"type": "send_prompt"}, "interrupt", None])
async def test_what_a_host_cannot_do_is_refused_and_the_line_stays(command: Any) -> None:
    async with serving() as run, client(HELLO, {"do": command, "id": "1"}) as reader:
        await reader.hear()
        said = await reader.hear()
        assert said is not None
        assert (said["id"], "no command" in said["refused"], run.commands) == ("1", True, [])
        reader.say({"do": {"type": "interrupt"}, "id": "2"})
        assert await reader.hear() == {"done": "2"}
        run.events.close()


async def test_half_a_line_is_nothing() -> None:
    async with serving(answered()) as run:
        async with client(HELLO, b'{"do": {"type": "interrupt"}, "id": "1"}') as reader:
            await reader.hear()
        await until(lambda: run.server.readers == 0, "it has gone")
        assert run.commands == []


async def test_what_is_sent_twice_is_done_once() -> None:
    prompt = {"do": {"type": "send_prompt", "prompt_id": "p", "text": "Go on"}, "id": "one"}
    async with serving() as run:
        for _ in range(2):
            async with client(HELLO, prompt) as reader:
                await reader.hear()
                assert await reader.hear() == {"done": "one"}
        assert run.commands == [SendPrompt("p", "Go on")]


async def test_the_host_refuses_what_a_reader_sends_that_only_reads() -> None:
    hello = {"hello": {"version": VERSION, "since": 0, "is_read_only": True}}
    async with serving() as run, client(hello, {"do": {"type": "interrupt"}, "id": "x"}) as reader:
        await reader.hear()
        assert await reader.hear() == {"refused": "this reader only reads", "id": "x"}
        assert run.commands == []


async def test_what_a_reader_sends_is_masked_by_what_it_says_is_secret_in_it_unless_it_only_reads() -> None:
    def wanted(secrets: object) -> dict[str, object]:
        return {"do": to_json(SendPrompt("p", "Log in")), "id": "x", "secrets": secrets}

    only_reads = {"hello": {**HELLO["hello"], "is_read_only": True}}
    async with serving() as run, client(only_reads, wanted(["Zq9-of-a-reader"])) as reader:
        await reader.hear()
        assert await reader.hear() == {"refused": "this reader only reads", "id": "x"}
        assert redact("Zq9-of-a-reader") == "Zq9-of-a-reader"
        async with client(HELLO, wanted(["Zq9-of-a-window", 7]), {**wanted("strange"), "id": "y"}) as window:
            await until(lambda: len(run.commands) == 2)
            assert [await window.hear() for _ in range(3)][1:] == [{"done": "x"}, {"done": "y"}]
    assert redact("Zq9-of-a-window strange") == "[secret] strange"


async def test_who_takes_nothing_holds_up_neither_the_run_nor_the_others() -> None:
    async with serving() as run, client(HELLO) as slow, client(HELLO) as quick:
        await slow.hear()
        text = "words " * 2_000
        for number in range(500):
            run.tell([ev.Noticed(float(number), "much", text)])  # six megabytes: more than any buffer holds
        run.events.close()
        heard = await quick.hear_all()
        assert heard[-1] == {"end": 500}
        assert run.server.readers == 1, "the slow one is still being served"
        assert (await slow.hear_all())[-1] == {"end": 500}


async def test_ten_readers_and_the_first_answer_is_sent_on() -> None:
    async with serving(answered()) as run, AsyncExitStack() as stack:
        ones = [
            await stack.enter_async_context(client(HELLO, {"do": {"type": "interrupt"}, "id": f"by-{number}"}))
            for number in range(10)
        ]
        tasks = [asyncio.create_task(one.hear_all()) for one in ones]
        await until(lambda: len(run.commands) == 10)
        run.events.close()
        heard = await asyncio.gather(*tasks)
    events = [[said for said in all_of if "seq" in said] for all_of in heard]
    assert all(one == events[0] for one in events)
    assert run.commands == [Interrupt()] * 10


# -- the place ---------------------------------------------------------------------------------------------------------


async def test_who_ends_a_run_from_elsewhere_is_told_and_who_ends_their_own_is_not() -> None:
    end = {"do": to_json(CloseRun(by="whoever it likes"))}
    async with serving() as run:

        async def ended_by(**about: Any) -> str:
            async with client({"hello": {**HELLO["hello"], **about}}, end) as one:
                await one.hear()
                await one.hear()
            command = run.commands[-1]
            assert isinstance(command, CloseRun)
            return command.by

        assert await ended_by(name="pts/3") == ""
        assert await ended_by(name="`maverick stop` in pts/4", only_does=True) == "`maverick stop` in pts/4"
        async with client(HELLO) as other:
            await other.hear()
            assert await ended_by(name="pts/3") == "pts/3"


async def test_whoever_leaves_last_says_whether_the_run_is_needed() -> None:
    release = {"do": to_json(CloseRun(if_unused=True))}
    async with serving() as run:

        def is_released() -> bool:
            return run.server.is_released

        async def release_it(staying: int) -> None:
            async with client(HELLO, release) as one:
                assert await one.hear() is not None
                assert await one.hear() == {"done": ""}
            await until(lambda: run.server.readers == staying, "it has gone")

        await release_it(staying=0)
        assert is_released()
        async with client(HELLO) as other:
            await other.hear()
            assert not is_released(), "somebody has come"
            await release_it(staying=1)
            assert not is_released(), "somebody reads it"
        await until(lambda: not run.server.readers, "the other was cut off")
        assert not is_released(), "and may come back"
        await release_it(staying=0)
        assert is_released()
        run.events.close()
    assert run.commands == []


async def test_the_socket_is_ours_alone_and_gone_with_the_run() -> None:
    async with serving() as run:
        about = socket_of(RUN).stat()
        assert stat.S_IMODE(about.st_mode) == 0o600
        assert (list(hosted_runs()), has_host(RUN)) == ([RUN], True)
        run.events.close()
    assert (list(hosted_runs()), has_host(RUN), [*make_runtime_folder().iterdir()]) == ([], False, [])


async def test_a_run_has_one_host() -> None:
    async with serving() as run:
        with pytest.raises(ConfigError, match="has a host already"):
            async with Served().server.listening():
                pass
        async with client(HELLO) as reader:
            assert await reader.hear() is not None, "the first one is where it was"
        run.events.close()


async def test_a_host_that_was_killed_leaves_its_place_to_the_next() -> None:
    make_runtime_folder()
    socket_of(RUN).with_suffix(".lock").write_text("")
    socket_of(RUN).write_text("what a killed one has left")
    async with serving() as run, client(HELLO) as reader:
        assert await reader.hear() is not None
        run.events.close()


async def test_it_comes_back_to_its_place_when_that_was_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_listening, "LOOK_EVERY", 0.01)
    async with serving() as run:
        socket_of(RUN).unlink()
        make_runtime_folder().joinpath(f"{RUN}.lock").unlink()
        make_runtime_folder().rmdir()
        await until(lambda: socket_of(RUN).exists() and has_host(RUN), "it is back")
        async with client(HELLO) as reader:
            assert await reader.hear() is not None
        run.events.close()


async def test_it_takes_nothing_along_that_is_another_ones() -> None:
    async with serving() as run:
        socket_of(RUN).unlink()
        socket_of(RUN).write_text("another one's")
        run.events.close()
    assert socket_of(RUN).read_text() == "another one's"


async def test_what_is_secret_in_its_process_is_told_to_nobody_who_lists_it() -> None:
    conceal(["Wv5-listed-Kk"])
    async with serving(Tape().connect().prompt("Log in with Wv5-listed-Kk").say("Yes.").done().events) as run:
        state = run.server.about().state
    assert state["first_prompt"] == "Log in with [secret]"


async def test_who_prints_a_run_is_told_nothing_that_is_secret_to_it() -> None:
    """`maverick logs` of a run that is not kept: only the host knows what its inputs were."""
    conceal(["hunter2-and-more"])
    tape = Tape().connect().prompt("Log in with hunter2-and-more").say("hunter2-and", is_open=True)
    async with serving(tape.events) as run, client({"hello": {**HELLO["hello"], "is_unseen": True}}) as one:
        hello = await one.hear()
        assert hello is not None
        count = hello["hello"]["events"]
        assert 0 < count < len(tape.events), "what may begin a secret waits, and nobody waits for it"
        told = [await one.hear() for _ in range(count)]
        tape.events.clear()
        run.tell(tape.say("fine").done().events)
        run.events.close()
        text = json.dumps([*told, *await one.hear_all()])
    assert "Log in with [secret]" in text
    assert "hunter2" not in text
    assert "fine" in text
    assert json.loads(text)[-1] == {"end": len(run.events)}


async def test_what_is_secret_in_its_process_is_told_to_those_alone_who_mask_it_and_before_it_turns_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "Env-4-the-host")
    tape = Tape().connect()
    others = [{}, *({"learns_secrets": True, way: True} for way in ("is_read_only", "is_unseen", "only_does"))]
    async with AsyncExitStack() as stack:
        run = await stack.enter_async_context(serving(tape.events))
        greetings = [{"hello": {**HELLO["hello"], **more}} for more in ({"learns_secrets": True}, *others)]
        one, *rest = [await stack.enter_async_context(client(greeting)) for greeting in greetings]
        heard = [await one.hear() for _ in range(2 + len(tape.events))]
        assert heard[1] == {"secrets": ["Env-4-the-host"]}
        tape.events.clear()
        conceal(["Zq9-of-a-server"])
        run.tell(tape.prompt("Log in with Zq9-of-a-server").done().events)
        assert await one.hear() == {"secrets": ["Env-4-the-host", "Zq9-of-a-server"]}
        run.events.close()
        assert not any("secrets" in said for said in await one.hear_all()), "each time that there are more, once"
        for other in rest:
            assert not any("secrets" in said for said in await other.hear_all())

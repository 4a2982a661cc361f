"""One command for a run that nobody here follows."""

from __future__ import annotations

import pytest

from maverick_tui.events.wire import to_json
from maverick_tui.exceptions import NetworkError
from maverick_tui.host.lines import ReaderHello, do_line, line, object_of
from maverick_tui.host.remote import connected
from maverick_tui.host.sending import send_once
from maverick_tui.runs.commands import AnswerPermission, Interrupt, SendPrompt
from tests.host.served_run import RUN, serving
from tests.support.runs import Tape


async def test_a_command_is_heard_and_a_run_without_a_host_says_so() -> None:
    tape = Tape().connect().prompt("Go").say("Words.")
    async with serving(tape.events) as run:
        counted: list[int] = []
        run.on_command = lambda _command: counted.append(run.server.readers)
        await send_once(RUN, Interrupt(), since=2)
        await send_once(RUN, Interrupt())
        assert run.commands == [Interrupt(), Interrupt()]
        assert counted == [0, 0], "nobody reads it by that"
        async with connected(RUN, ReaderHello(only_does=True)) as there:
            there.writer.write(line({"do": to_json(Interrupt()), "id": "one"}))
            assert object_of(await there.reader.readline()) == {"done": "one"}, "however long its log is"
            run.tell(Tape().prompt("More").events)
            run.events.close()
            assert object_of(await there.reader.readline()) == {"end": len(run.events)}
    with pytest.raises(NetworkError, match="no host"):
        await send_once(RUN, Interrupt())


def test_of_what_is_known_to_be_secret_a_host_is_told_what_it_is_sent_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", 'quoted"and\\more')
    monkeypatch.setenv("SHOP_KEY", "first-of-two\nsecond-of-two")
    monkeypatch.setenv("OTHER_PASSWORD", "is-said-to-nobody")
    said = object_of(do_line(SendPrompt("p", 'Log in with quoted"and\\more', images={"a.png": "second-of-two"}), "one"))
    assert (said["id"], said["secrets"]) == ("one", ['quoted"and\\more'])
    answer = AnswerPermission("r", "once", arguments={"lines": [{"first": "It is second-of-two."}]})
    assert object_of(do_line(answer, "two"))["secrets"] == ["second-of-two"]
    assert object_of(do_line(Interrupt(), "three")) == {"do": to_json(Interrupt()), "id": "three"}

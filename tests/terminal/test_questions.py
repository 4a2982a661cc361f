"""Questions that come up while somebody types: every character lands in the prompt, and nothing is answered."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from maverick_tui.events.kinds import Event
from tests.host.served_run import RUN, Served, serving
from tests.support.pty_program import PATIENCE
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.support.terminal import Glass
from tests.terminal.application import CTRL_Q, CTRL_Y, ENTER, pasted
from tests.terminal.conftest import Maverick

pytestmark = pytest.mark.slow

QUESTIONS = 20
TYPED = "".join(f"{letter}{number % 10}yn" for number in range(10) for letter in "qwert")
ASKED = {"questions": [{"question": "Which one?", "options": [{"label": "Red"}, {"label": "Blue"}]}]}
_ROW = re.compile(r"^\s*│ (.*?)\s*│$")


def prompt_of(glass: Glass) -> str:
    """All that stands in the prompt: there are no blanks in it."""
    return "".join(found[1] for row in glass.rows if (found := _ROW.match(row)))


@contextmanager
def served_beside(events: Sequence[Event]) -> Iterator[tuple[Served, asyncio.AbstractEventLoop]]:
    """A run at its socket, in a thread of its own."""
    loop, is_there, is_over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    made: list[Served] = []

    async def serve() -> None:
        async with serving(events) as run:
            made.append(run)
            is_there.set()
            await is_over.wait()
            run.events.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    try:
        assert is_there.wait(PATIENCE)
        yield made[0], loop
    finally:
        loop.call_soon_threadsafe(is_over.set)
        thread.join(PATIENCE)
        loop.close()


@pytest.mark.explore
def test_two_hundred_characters_are_typed_while_twenty_questions_come_up(maverick: Maverick) -> None:
    assert len(TYPED) == 200
    tape = Tape("handyman", at=time.time()).connect().prompt("Go").say("I am at work.")
    with served_beside(tape.events) as (run, loop):
        app = maverick("attach", RUN)
        app.see("I am at work.")
        for number, character in enumerate(TYPED):
            app.send(character)
            if number % 10 == 5:
                tape.events.clear()
                is_in_words = number % 40 == 5
                tape.ask("AskUserQuestion", ASKED) if is_in_words else tape.ask("Bash", {"command": f"rm {number}"})
                loop.call_soon_threadsafe(run.tell, list(tape.events))
                if number == 5:
                    app.see("Which one?")  # the rest is typed while there is a question that words would answer
        app.until(lambda glass: prompt_of(glass) == TYPED)
        app.see("waiting for you")
        assert run.commands == [], "nothing is answered, and nothing was sent"
        app.send(CTRL_Q)
        app.answer("Leave", ENTER)
        assert app.wait() == 0
    assert run.commands == []


@pytest.mark.parametrize(
    "carries", sampled(["\x1b[201~", "\x1b", "\x1b["], 3, ids=["its end", "escape", "half a sign"])
)
def test_what_a_paste_carries_behind_its_end_or_an_escape_allows_nothing(maverick: Maverick, carries: str) -> None:
    tape = Tape("handyman", at=time.time()).connect().prompt("Go").ask("Bash", {"command": "rm 1"})
    with served_beside(tape.events) as (run, _loop):
        app = maverick("attach", RUN)
        app.see("waiting for you")
        for number in range(10):
            app.send(pasted(f"{number}a{carries}{CTRL_Y}b"))
            shown = f"{number}a{'[' if carries.endswith('[') else ''}"
            app.until(lambda glass, shown=shown: shown in prompt_of(glass))  # type: ignore[misc]
        assert run.commands == []
        # Which shows that it could have been answered by then.
        app.until_pressed(CTRL_Y, lambda _glass: run.commands)
        app.hang_up()
        assert app.wait() in maverick.hung_up

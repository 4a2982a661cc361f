"""How it starts: what is on the screen first, and that nothing typed is lost; and how a person quits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.terminal.application import CTRL_C, CTRL_Q, ESCAPE, prompt_of
from tests.terminal.conftest import PLAIN_MOSTLY, Maverick
from tests.terminal.working import assert_nothing_is_left

pytestmark = pytest.mark.slow

ENDLESS = {"steps": ["I think.", {"pause": 3_600}]}
HELLO = [{"when": {"prompt": "greet"}, "answers": ["Hello from the script."]}, {"answers": [ENDLESS]}]


@PLAIN_MOSTLY
def test_without_credentials_it_opens_the_demo_and_takes_keys_that_came_before_the_first_frame(
    maverick: Maverick, temporary: Path
) -> None:
    app = maverick(early_keys="docu")
    app.see("OFFLINE DEMO")
    app.see("/ docu")
    app.until(lambda glass: "documenter" in glass.text and "implementer" not in glass.text)
    assert app.output.modes[1049]
    assert app.quit() == 0
    assert list(temporary.iterdir()) == []


@pytest.mark.explore  # `tests/ui/test_app.py` has it without a terminal
def test_an_agent_by_name_takes_what_was_typed_before_it_was_there_and_quitting_asks_while_it_works(
    maverick: Maverick, teller: str, mark: str, temporary: Path
) -> None:
    app = maverick("--agent", teller, scenes=HELLO, is_ours=True, early_keys="gre", environment={"NO_COLOR": "1"})
    app.until(lambda glass: prompt_of(glass) == "gre")
    app.send("et me\r")
    app.see("▌ greet me")
    app.see("Hello from the script.")
    app.see("✔ done in")
    app.type_line("and now")
    app.see("I think.")

    app.send(CTRL_Q)
    app.see("teller is still running")
    app.send(ESCAPE)
    app.until(lambda glass: "still running" not in glass.text)
    app.send(CTRL_C)
    app.see("Press Ctrl+C again to quit.")
    app.send(CTRL_C)
    app.answer("teller is still running", "e")
    assert app.wait() == 0
    assert_nothing_is_left(app, mark, temporary)
    colours = set(re.findall(r"[34]8;2;(\d+);(\d+);(\d+)", " ".join(app.output.colours)))
    assert len(colours) > 1
    assert [colour for colour in colours if len(set(colour)) > 1] == [], "greys alone, as it was told"

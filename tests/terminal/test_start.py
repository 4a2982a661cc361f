"""How it starts: what is on the screen first, and that nothing typed is lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.terminal.application import CTRL_C, ModernApplication, prompt_of
from tests.terminal.conftest import WITH_KEY, Maverick

pytestmark = pytest.mark.slow

HELLO = [{"when": {"prompt": "greet"}, "answers": ["Hello from the script."]}, {"answers": ["Something else."]}]


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


def test_with_a_key_it_opens_the_picker_of_this_folder(maverick: Maverick) -> None:
    agents = Path(".maverick/agents")
    agents.mkdir(parents=True)
    (agents / "poet.md").write_text("---\nname: poet\ndescription: Writes verse.\n---\nYou are a poet.\n")
    app = maverick.seen_by(ModernApplication, environment=WITH_KEY)
    app.see("Writes verse.")
    assert "OFFLINE" not in app.glass.text
    assert app.output.modes[2048]
    app.resize(120, 20)
    app.until(lambda glass: len(glass.rows[-1]) > 100)
    app.send(CTRL_C)
    app.see("Press Ctrl+C again to quit.")
    app.send(CTRL_C)
    assert app.wait() == 0
    assert app.output.is_as_before
    assert app.attributes == app.attributes_before


def test_an_agent_by_name_has_the_prompt_ready_for_what_was_typed_before_it_was_there(maverick: Maverick) -> None:
    app = maverick("--agent", "explorer", scenes=HELLO, early_keys="gre", environment={"NO_COLOR": "1"})
    app.until(lambda glass: prompt_of(glass) == "gre")
    app.send("et me\r")
    app.see("▌ greet me")
    app.see("Hello from the script.")
    app.see("✔ done in")
    app.type_line("and now")
    app.see("Something else.")
    app.until(lambda glass: glass.text.count("✔ done in") == 2)
    assert app.quit() == 0
    colours = set(re.findall(r"[34]8;2;(\d+);(\d+);(\d+)", " ".join(app.output.colours)))
    assert len(colours) > 1
    assert [colour for colour in colours if len(set(colour)) > 1] == [], "greys alone, as it was told"

"""Files that a prompt names with an `@`: the CLI could read them by itself, past every hook, and does not."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.events.kinds import TurnEnded
from maverick_tui.runs.commands import SendPrompt
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import call, say, scene


class Reader(Talker):
    name = "reader"
    allowed_tools = ["Read", "Agent"]


async def test_nothing_that_a_text_names_is_read_past_the_judge(serve: ServeModel, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_rsa").write_text("READ-key")
    for name in ("plain", "my file", "told", "handed", "summed"):
        Path(f"{name}.txt").write_text(f"READ-{name}")
    Path("talks.txt").write_text("Look at @told.txt and @~/.ssh/id_rsa")
    scenes = [
        scene(
            call("Read", file_path=str(Path("talks.txt").absolute())),
            call("Agent", description="x", prompt="Look at @handed.txt", subagent_type="general-purpose"),
            say("Seen."),
            prompt="one",
        ),
        scene(say("<summary>It was about files.</summary>")),
    ]
    async with serve(scenes) as model, watch(Reader) as run:
        run.allows_everything = True
        await run.ask(f'one: @plain.txt @"my file.txt" @~/.ssh/id_rsa @{Path("plain.txt").absolute()} (@plain.txt)')
        run.send(SendPrompt("sum up", "/compact with @summed.txt", is_command=True))
        await run.until(TurnEnded, 2)
    sent = str(model.requests)
    assert "@plain.txt" in sent
    assert "@told.txt" in sent
    assert "@handed.txt" in sent
    assert "READ-" not in sent, "a mention is text: what the model wants of it, it asks for by a call"

"""The demo's assistant does what it is asked, whatever that is."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.offline.demo.script import load_demo_script
from maverick_tui.tasks import texts
from maverick_tui.tasks.database import SessionFactory
from tests.tasks.support import assistant

CONVERSATION = [
    ("Hello", "I can add, list, complete and delete tasks. What would you like to do?"),
    ("What is on my list?", "Your list is empty."),
    ("Add a task: buy oat milk to my list.", "Got it! Added 'buy oat milk' to your list. Anything else?"),
    ("Remind me to call Ann!", "Got it! Added 'call Ann' to your list. Anything else?"),
    ("The milk is done.", "Great! I've marked 'buy oat milk' as complete."),
    ("show my tasks", "1. ☐ call Ann\n2. ✓ buy oat milk"),
    ("mark call ann as done", "Great! I've marked 'call Ann' as complete."),
    ("please delete the milk", texts.confirm_delete("buy oat milk")),
    ("yes delete", "I've removed 'buy oat milk' from your tasks."),
    ("Delete everything", texts.confirm_bulk("yes delete all")),
    ("yes, delete all.", "I've removed 1 task from your list."),
    ("complete all", texts.NONE_SUCH),
]


async def test_what_is_typed_is_what_is_done(factory: SessionFactory, tmp_path: Path) -> None:
    script = load_demo_script(tmp_path, fast=True)
    scenes = [
        scene.model_copy(update={"when": scene.when.model_copy(update={"agent": None})})
        for scene in script.scenes
        if scene.when.agent == "tasks"
    ]
    async with assistant(factory, script.model_copy(update={"scenes": tuple(scenes)})) as one:
        answers = [(message, (await one.say(message)).response) for message, _ in CONVERSATION]
    assert answers == CONVERSATION

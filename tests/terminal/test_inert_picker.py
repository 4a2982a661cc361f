"""Files that nobody has looked at: what stands in them, and what they are called, does not steer the terminal."""

from __future__ import annotations

import json
import os
import subprocess
from functools import partial
from pathlib import Path

import pytest

from maverick_tui import paths
from tests.support.terminal import Glass
from tests.terminal.application import BACKSPACE, CTRL_C, ENTER, ESCAPE, SIZE, ModernApplication
from tests.terminal.conftest import OURS_ALONE, WITH_KEY, Maverick
from tests.terminal.hostile import CLICKS, EVERYTHING, STEERING, assert_inert, shown

pytestmark = [pytest.mark.slow, OURS_ALONE]

TEXT = EVERYTHING.replace("\x00", "")  # a file with that in it is no text
QUOTED = '"' + "".join(json.dumps(part)[1:-1] if part < "\U00010000" else f"\\U{ord(part):08X}" for part in TEXT) + '"'
"""As YAML and TOML read it."""
BRANCH = "b\u202e\u200b\u200f\u3164ranch"
STRANGE = f"Strange {STEERING['title']}"
AGENTS = {
    "evil.md": f"---\nname: evil\ndescription: {QUOTED}\ninitialPrompt: {QUOTED}\ntools: Read\n---\n"
    f"Prompt {TEXT}\n\n{CLICKS}\n",
    "asking.md": f"---\nname: asking\ndescription: It asks.\ninputs:\n  topic:\n    description: {QUOTED}\n"
    "---\nLook into ${topic}.\n",
    "broken.md": f"---\nname: broken\ndescription: {QUOTED}\nmodel: {QUOTED}\ntools: {QUOTED}\n"
    f"{QUOTED}: {QUOTED}\n---\nx\n",
    "strange.py": f"from maverick_tui import MaverickAgent\n\n\nclass Strange(MaverickAgent):\n    # {TEXT}\n"
    f"    description = {STRANGE!r}\n    system_prompt = {TEXT!r}\n\n"
    "    async def execute(self, context):\n        return await self.run('go', context)\n",
    f"{STEERING['title']}\u202e.md": "no agent",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose name is as hostile as its files."""
    project = tmp_path / f"project {STEERING['title']}\u202e"
    agents = project / ".maverick/agents"
    agents.mkdir(parents=True)
    for name, text in AGENTS.items():
        (agents / name).write_text(text)
    (Path(os.fsdecode(bytes(agents) + b"/latin-\xe9\x9b31m.md"))).write_text("no agent")
    subprocess.run(["git", "init", "--quiet", f"--initial-branch={BRANCH}", project], check=True)
    monkeypatch.chdir(project)
    state, config = paths.user_state(), paths.user_config()
    for place in (state, config):
        place.mkdir(parents=True)
    (state / "interface.json").write_text(json.dumps({"has_bell": EVERYTHING, "theme": "maverick-light"}))
    (config / "config.toml").write_text(f"[keys]\n{QUOTED} = {QUOTED}\n")
    return project


def lacks(text: str, glass: Glass) -> bool:
    return text not in glass.text


SHOWN = [
    "project ␛]0;PWNED␇\ufffd",
    "b\ufffd\ufffd\ufffd\ufffdranch",
    "latin-\ufffd\ufffd31m.md",
    "␛]0;PWNED␇\ufffd.md",
    "Strange ␛]0;PWNED␇",
    f"# {shown('title')}",
    f"Prompt {shown('title')}",
    CLICKS,
]


@pytest.mark.explore  # `ui/picker/test_hostile.py` shows the same files; a terminal is in `test_inert_run.py`
def test_with_a_key_it_opens_the_picker_where_nothing_steers_the_terminal(maverick: Maverick, folder: Path) -> None:
    app = maverick.seen_by(ModernApplication, environment=WITH_KEY)
    app.see("project")
    assert "OFFLINE" not in app.glass.text
    assert app.output.modes[2048]
    app.resize(150, 70)
    app.until(lambda glass: len(glass.rows[-1]) > SIZE[0])
    for title in ("▌ Preferences", "▌ Keys"):
        row = app.row_of(title)
        app.click(app.glass.rows[row].index(title) + 2, row)
        app.until(partial(lacks, title))
    for name, seen, dialog, inside in (
        ("latin", "no front matter", "", ""),
        ("broken", "line 4", "", ""),
        ("strange", "untrusted", "Trust strange?", f"# {shown('title')}"),
        ("asking", "It asks.", "asking asks", "topic"),
        ("evil", "evil.md:2", "", ""),
    ):
        app.send(name)
        app.see(f"/ {name}")
        app.see(seen)
        if dialog:
            app.send(ENTER)
            app.see(dialog)
            app.see(inside)
            app.send(ESCAPE)  # alone: with a letter behind it, it would be Alt and that letter
            app.until(partial(lacks, dialog))
        if name != "evil":
            app.send(BACKSPACE * len(name))
            app.see("/ type to filter")
    app.send(ENTER)
    app.see(f"│ {shown('title')}")
    text = app.output.text
    assert [piece for piece in SHOWN if piece not in text] == []
    app.send(CTRL_C + CTRL_C)
    assert app.wait() == 0
    assert app.output.left_behind == {}
    assert app.attributes == app.attributes_before
    assert_inert(app.written)

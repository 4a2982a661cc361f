"""Takes the pictures in screenshots/: the real application plays the demo, with the real CLI and a scripted model."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pytest

from maverick_tui.folder_locks import OWNER, held
from maverick_tui.ui import launch
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from tests.screenshots.pictures import clean, to_png
from tests.screenshots.scenes import SCENES, Scene
from tests.support.hosts import end_hosts
from tests.support.processes import MARK, wait_until_gone
from tests.support.pty_program import TRUE_COLOURS

NEUTRAL = (Path("/tmp/demo"), Path("/tmp/demo-again"))
"""Where the demo plays; the second while agents that were left work in the first. A question shows whole paths."""
OUTPUT = Path(__file__).resolve().parents[2] / "screenshots"


@contextmanager
def _neutral_folder() -> Iterator[Path]:
    folder = next((place for place in NEUTRAL if not place.exists()), NEUTRAL[0])
    folder.mkdir()  # and it fails if it is there: somebody else's, or that of another one of us
    (folder / OWNER).touch()
    with held(folder):
        yield folder


def _demo(scene: Scene) -> MaverickApp:
    preferences = Preferences()
    preferences.change(theme=scene.theme, has_bell=False, has_notifications=False)
    return MaverickApp(Launch(Path.cwd(), agent=scene.agent, is_demo=True), preferences=preferences)


async def take(scene: Scene) -> str:
    """Play a scene up to its moment; the picture as SVG."""
    if scene.before is not None:
        async with _demo(scene).run_test(size=scene.size, notifications=False) as pilot:
            await scene.before(pilot)
    app = _demo(scene)
    async with app.run_test(size=scene.size, notifications=False) as pilot:
        await scene.play(pilot)
        svg = app.export_screenshot(title="Maverick", simplify=True)
        app._leaving.end_now(0, "end")
        await app.workers.wait_for_complete([worker for worker in app.workers if worker.name == "leave"])
    return svg


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*", help="; ".join(scene.name for scene in SCENES))
    wanted = parser.parse_args().name
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "CLAUDE_", "MAVERICK_", "XDG_")) or name in ("CLAUDECODE", "NO_COLOR"):
            del os.environ[name]
    os.environ[MARK] = mark = f"pictures-{os.getpid()}"
    os.environ["TZ"] = "UTC"
    os.environ |= TRUE_COLOURS
    time.tzset()
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        os.environ["HOME"] = home
        patch.setattr(launch, "_folder", _neutral_folder)
        for scene in SCENES:
            if wanted and scene.name not in wanted:
                continue
            try:
                svg = clean(asyncio.run(take(scene)))
            finally:
                end_hosts(mark)  # those that were left at work
                wait_until_gone(mark)
            (OUTPUT / f"{scene.name}.svg").write_text(svg, encoding="utf-8")
            (OUTPUT / f"{scene.name}.png").write_bytes(to_png(svg))
            print(f"screenshots/{scene.name}.png  {scene.shows}")


if __name__ == "__main__":
    main()

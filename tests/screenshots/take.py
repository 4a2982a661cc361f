"""Takes the pictures in screenshots/: the real application plays the demo, with the real CLI and a scripted model."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pytest

from maverick_tui.ui import launch
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from tests.screenshots.pictures import clean, to_png
from tests.screenshots.scenes import SCENES, Scene

NEUTRAL = Path("/tmp/demo")
"""Where the demo plays. A question shows the whole path of a file, so this one is in a picture."""
OUTPUT = Path(__file__).resolve().parents[2] / "screenshots"


@contextmanager
def _neutral_folder() -> Iterator[Path]:
    NEUTRAL.mkdir()  # and it fails if it is there: somebody else's, or that of another one of us
    try:
        yield NEUTRAL
    finally:
        shutil.rmtree(NEUTRAL)


async def take(scene: Scene) -> str:
    """Play a scene up to its moment; the picture as SVG."""
    preferences = Preferences()
    preferences.change(theme=scene.theme, has_bell=False, has_notifications=False)
    app = MaverickApp(Launch(Path.cwd(), agent=scene.agent, is_demo=True), preferences=preferences)
    async with app.run_test(size=scene.size, notifications=False) as pilot:
        await scene.play(pilot)
        svg = app.export_screenshot(title="Maverick", simplify=True)
        app._leaving.end_now(0)
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
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        os.environ["HOME"] = home
        patch.setattr(launch, "_folder", _neutral_folder)
        for scene in SCENES:
            if wanted and scene.name not in wanted:
                continue
            svg = clean(asyncio.run(take(scene)))
            (OUTPUT / f"{scene.name}.svg").write_text(svg, encoding="utf-8")
            (OUTPUT / f"{scene.name}.png").write_bytes(to_png(svg))
            print(f"screenshots/{scene.name}.png  {scene.shows}")


if __name__ == "__main__":
    main()

"""vim in the middle of a text when its window goes: what was not saved is kept, and the next start says where.

What was saved is in the draft, or is told of likewise.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from maverick_tui import paths
from tests.support.processes import wait_until_gone
from tests.support.sampling import sampled
from tests.terminal.application import CTRL_G, Application, prompt_of
from tests.terminal.conftest import HERE_ALONE, Maverick
from tests.terminal.grammar import Written

VIM = shutil.which("vim")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(VIM is None, reason="there is no vim")]
VARIABLES = HERE_ALONE | {"EDITOR": f"{VIM} --clean"}
SCENES = [{"answers": ["Done."]}]


class WithVim(Application):
    """Maverick in a terminal that vim writes to as well, by a grammar of its own."""

    @property
    def output(self) -> Written:
        """Nothing is known of it."""
        return Written()


def in_vim(maverick: Maverick, teller: str) -> WithVim:
    """A prompt in vim."""
    app = maverick.seen_by(WithVim, "--agent", teller, scenes=SCENES, is_ours=True, environment=VARIABLES)
    app.see("waiting for your prompt")
    app.send("an hour")
    app.until(lambda glass: prompt_of(glass) == "an hour")
    app.send(CTRL_G)
    app.read(b"prompt.md")
    return app


def end(app: WithVim, ends: str) -> None:
    if ends == "the application":
        os.kill(app.pid, signal.SIGKILL)
    app.hang_up()
    app.wait()


@pytest.mark.parametrize("ends", sampled(["the window", "the application"], 2))
def test_what_was_saved_a_moment_before_is_not_lost(maverick: Maverick, teller: str, mark: str, ends: str) -> None:
    app = in_vim(maverick, teller)
    app.send("A of work that I have saved\x1b:w\r")
    app.read(b"B written")  # the panel of usage has a row of that name
    end(app, ends)
    assert wait_until_gone(mark) == {}

    again = maverick("--agent", teller, scenes=SCENES, is_ours=True, environment=VARIABLES)
    if ends == "the window":
        again.until(lambda glass: prompt_of(glass) == "an hour of work that I have saved")
        assert [*(paths.user_state() / "editing").iterdir()] == []
    else:
        again.see("you had saved in your editor")
        (text,) = (paths.user_state() / "editing").glob("*/prompt.md")
        assert text.read_text() == "an hour of work that I have saved\n"
    again.hang_up()
    again.wait()


# To vim both are the same end. The application saves nothing of this before it goes, whichever it is.
@pytest.mark.parametrize("ends", sampled(["the application", "the window"], 2))
@pytest.mark.explore  # that what was saved a moment before is not lost has the same way
def test_what_was_not_saved_can_be_had_back(maverick: Maverick, teller: str, mark: str, ends: str) -> None:
    app = in_vim(maverick, teller)
    app.send("A of work that nobody has saved")
    app.read(b"nobody has saved")
    end(app, ends)
    assert wait_until_gone(mark) == {}

    (folder,) = (paths.user_state() / "editing").iterdir()
    again = maverick("--agent", teller, scenes=SCENES, is_ours=True, environment=VARIABLES)
    again.see("vim has kept what you had not saved")
    again.hang_up()
    again.wait()
    assert recovered(folder / "prompt.md") == "an hour of work that nobody has saved\n"


def recovered(text: Path) -> str:
    """What vim makes of it, as the person was told to ask it."""
    command = [str(VIM), "--clean", "-e", "-s", "-r", str(text), "-c", "wq! recovered"]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, cwd=text.parent)
    return (text.parent / "recovered").read_text()

"""The demo: its repository, its script, and the tour through the real CLI."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import AgentError, StreamingError, extract_all_text
from maverick_tui.offline.demo.project import BRANCH, changed_files, make_project
from maverick_tui.offline.demo.running import RunningDemo, running_demo
from maverick_tui.offline.demo.script import load_demo_script
from maverick_tui.offline.demo.tour import TOUR, Stop
from maverick_tui.offline.player import AskedPrompt, Player
from maverick_tui.offline.script import Pace, PaceStep, PauseStep, Script, TextStep, ToolStep
from tests.support.agents import context, drain
from tests.support.command_line import Run, command_line
from tests.support.sampling import sampled

ROOT = Path(__file__).parents[2]
LONGEST = 300.0
"""Seconds after which a test says that the demo hangs."""
CITATION = re.compile(r"`([\w/.]+\.(?:py|md)):(\d+)`")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "demo" / "shop")


def git(project: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=project, check=True, capture_output=True, text=True).stdout


def run_tests(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unittest", "-q"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def steps(script: Script) -> Iterator[Any]:
    return (step for scene in script.scenes for answer in scene.answers for step in answer.steps)


# -- the repository -------------------------------------------------------------------------------------------------


def test_the_repository_has_a_branch_with_a_commit_to_review(project: Path) -> None:
    assert git(project, "branch", "--show-current").strip() == BRANCH
    assert git(project, "log", "--format=%an %s").splitlines() == [
        "Shop Team Add coupons",
        "Shop Team Add the cart, its discount and its receipt",
    ]
    assert git(project, "diff", "--name-only", f"main...{BRANCH}").split() == ["README.md", "shop/coupons.py"]
    assert changed_files(project) == []


def test_the_repository_is_the_same_each_time(project: Path, tmp_path: Path) -> None:
    again = make_project(tmp_path / "again")
    assert git(again, "rev-parse", "HEAD") == git(project, "rev-parse", "HEAD")


def test_the_users_git_is_left_out_of_it(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    (home / ".gitconfig").write_text(
        "[user]\nname = Somebody\n[commit]\ngpgsign = true\n[core]\nhooksPath = /nowhere\n"
    )
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    project = make_project(tmp_path / "shop")
    monkeypatch.delenv("GIT_DIR")
    assert "Somebody" not in git(project, "log", "--format=%an %cn")
    assert not (tmp_path / "elsewhere").exists()


def test_exactly_one_test_of_the_repository_fails(project: Path) -> None:
    ran = run_tests(project)
    assert ran.returncode == 1
    assert "FAIL: test_the_discount_is_rounded_to_the_nearest_cent" in ran.stderr
    assert "FAILED (failures=1)" in ran.stderr


# -- the script -----------------------------------------------------------------------------------------------------


def test_every_line_that_an_agent_cites_is_there(project: Path) -> None:
    texts = [step.text for step in steps(load_demo_script(project)) if isinstance(step, TextStep)]
    cited = {citation for text in texts for citation in CITATION.findall(text)}
    assert len(cited) > 15
    for path, line in cited:
        assert (project / path).read_text().splitlines()[int(line) - 1].strip(), f"{path}:{line} is empty"


def test_code_that_an_agent_quotes_is_there(project: Path) -> None:
    code = "".join(path.read_text() for path in project.rglob("*.py"))
    for line in (
        "price = self.subtotal - self.discount",
        "return Money() if not self._lines or price >= FREE_SHIPPING_FROM else SHIPPING",
        "today < self.last_day",
        "left -= price.percent(coupon.percent)",
    ):
        assert line in code


def test_every_edit_fits_its_file(project: Path) -> None:
    edits = [step for step in steps(load_demo_script(project)) if isinstance(step, ToolStep) and step.tool == "Edit"]
    assert len(edits) == 2
    for edit in edits:
        assert Path(edit.input["file_path"]).read_text().count(edit.input["old_string"]) == 1


@pytest.mark.parametrize("agent", ["implementer", "test-writer"])
def test_an_agent_that_has_changed_something_does_not_try_to_do_so_once_more(agent: str) -> None:
    asked = AskedPrompt(agent, "", "And now?", 2, 0, {}, 0)
    chosen = Player(load_demo_script(Path("project"))).choose(asked)
    assert chosen is not None
    assert [type(step) for step in chosen.answer.steps] == [TextStep]
    again = Player(load_demo_script(Path("project"))).choose(replace(asked, turn=1))
    assert again is not None
    assert ToolStep in map(type, again.answer.steps), "in a new conversation it plays it again"


def test_a_fast_script_has_no_pauses_and_the_same_words(tmp_path: Path) -> None:
    folder = tmp_path / 'a "quoted": folder\\'
    slow, fast = load_demo_script(folder), load_demo_script(folder, fast=True)
    assert slow.pace.tokens_per_second
    assert fast.pace == Pace()
    assert not any(isinstance(step, PauseStep | PaceStep) for step in steps(fast))
    words = [step for step in steps(slow) if isinstance(step, TextStep | ToolStep)]
    assert words == [step for step in steps(fast) if isinstance(step, TextStep | ToolStep)]
    assert str(folder) in str([step.input for step in words if isinstance(step, ToolStep)][1]["file_path"])
    assert "@PROJECT@" not in str(fast.model_copy(update={"description": ""}))


def test_the_users_own_agents_of_the_same_name_are_not_taken(home: Path, project: Path) -> None:
    folder = home / ".config" / "maverick" / "agents"
    folder.mkdir(parents=True)
    (folder / "explorer.md").write_text("---\nname: explorer\ndescription: Mine.\n---\nYou are mine.\n")
    demo = RunningDemo(project, context().config, Player(load_demo_script(project)))
    assert demo.agent("explorer").description != "Mine."
    assert demo.agent("lead").allowed_tools == ["Task", "Read", "Glob", "Grep"]


# -- the tour -------------------------------------------------------------------------------------------------------


WORKS = [stop for stop in TOUR if stop.agent == "implementer"]


# The planner is played to its end below, what the others cite and edit is held against the repository above, and a
# stream breaks for the person in `tests/ui/test_app.py`.
@pytest.mark.explore
@pytest.mark.slow
@pytest.mark.parametrize("stops", [WORKS, list(TOUR)], ids=["work", "all"])
async def test_the_script_is_played_as_it_is_written_and_the_work_is_real(
    stops: list[Stop], mark: str, project: Path, tmp_path: Path
) -> None:
    script = load_demo_script(project, fast=True)
    agents = {stop.agent for stop in stops}
    toured = [
        scene
        for scene in script.scenes
        if scene.when.agent in agents and (scene.when.agent != "tasks" or scene.name == "tasks of the tour")
    ]
    script = script.model_copy(update={"strict": True, "scenes": tuple(toured)})
    said: dict[str, str] = {}
    errors: dict[str, AgentError] = {}
    cart = (project / "shop" / "cart.py").read_bytes()
    async with running_demo(project, script, tmp_path / "cli") as demo:
        for stop in stops:
            if stop.agent == "implementer":
                assert run_tests(project).returncode == 1
            messages, error = await drain(demo.agent(stop.agent).query(stop.prompt, cwd=project))
            said[stop.agent] = extract_all_text(messages)
            if error is not None:
                errors[stop.agent] = error
            if stop.agent == "implementer":
                assert run_tests(project).returncode == 0
        if "documenter" in agents:
            go_on = "Your last answer broke off. Continue exactly where it stopped."  # as the application asks by a key
            more, error = await drain(demo.agent("documenter").query(go_on, cwd=project))
            assert error is None
            assert "Not verified" in extract_all_text(more)

    assert "`FAILED (failures=1)` before" in said["implementer"]
    assert "`Ran 8 tests`, `OK` now" in said["implementer"]
    assert not re.search(r"\$\{|(?<!`)``(?!`)", "".join(said.values()))  # every reference found what it refers to
    if stops == WORKS:
        assert errors == {}
        assert changed_files(project) == [" M shop/money.py"]
        return
    assert list(errors) == ["documenter"]
    assert isinstance(errors["documenter"], StreamingError)
    assert "**Corrected**" in said["documenter"]
    assert "Not verified" not in said["documenter"]
    assert changed_files(project) == [" M README.md", " M shop/money.py", "?? tests/test_shipping.py"]
    assert (project / "shop" / "cart.py").read_bytes() == cart  # broken on purpose, and put back
    assert "AssertionError: Money(cents=490) != Money(cents=0)" in said["test-writer"]
    assert "`Ran 11 tests`, `OK` now" in said["test-writer"]
    assert git(project, "rev-parse", "--short", "HEAD").strip() in said["reviewer"]


def demo(tmp_path: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """`maverick demo` with a home and a folder for temporary files of its own."""
    (tmp_path / "tmp").mkdir()
    return subprocess.Popen(
        [sys.executable, "-m", "maverick_tui", "demo", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "tmp"), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.explore
def test_the_tour_is_printed_and_leaves_nothing_behind(mark: str, home: Path, tmp_path: Path) -> None:
    process = demo(tmp_path, "--fast")
    out, err = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, out + err
    assert err == ""
    assert "OFFLINE" in out.splitlines()[0]
    for number, stop in enumerate(TOUR, 1):
        assert f"── {number}/{len(TOUR)}  {stop.agent} ─" in out
        assert f"> {stop.prompt}" in out
    assert "  ✘ exit code 1: FAILED (failures=1)" in out
    assert "  ▸ Reproduce the failure" in out
    assert "    +        return Money((self.cents * rate + 50) // 100)" in out
    assert "  │ Amounts are added up in one place" in out
    assert "THE STREAM BROKE" in out
    assert out.index("**Corrected**") < out.index("THE STREAM BROKE")
    assert "   M shop/money.py" in out
    assert "\x1b" not in out
    assert list(home.rglob("*")) == []
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.explore
@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), sampled([(signal.SIGINT, 130), (signal.SIGTERM, 143)], 2))
def test_stopped_in_the_middle_it_leaves_nothing_behind(
    mark: str, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = demo(tmp_path, "explorer")
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("## Evidence"):
            process.send_signal(number)
            break
    out, err = process.communicate(timeout=LONGEST)
    assert process.returncode == code, out + err
    assert "Stopped" in out
    assert err == ""
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.explore  # it is seen to for every command at once, which `cli/test_program.py` shows with another one
@pytest.mark.slow
def test_a_reader_that_goes_away_ends_it(mark: str, tmp_path: Path) -> None:
    process = demo(tmp_path, "explorer", "--fast")
    assert process.stdout is not None
    assert "OFFLINE" in process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=LONGEST) == 0
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.fixture
def maverick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`maverick` in this process, with a folder for temporary files of its own."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return command_line(monkeypatch, capsys)


# The planner needs no CLI, the explorer only reads; the implementer mends what the tests of the repository find.
@pytest.mark.slow
@pytest.mark.parametrize("stop", sampled(["planner", "explorer", "implementer"], 3))
def test_the_repository_can_be_kept(stop: str, maverick: Run, mark: str, tmp_path: Path) -> None:
    ran = maverick("demo", stop, "--fast", "--keep")
    assert ran.code == 0, ran
    [folder] = (tmp_path / "tmp").iterdir()
    assert [path.name for path in folder.iterdir()] == ["shop"]
    assert f"git -C {folder / 'shop'} diff" in ran.out
    assert run_tests(folder / "shop").returncode == (0 if stop == "implementer" else 1)
    assert "reviewer" not in ran.out
    assert stop != "explorer" or ran.out.index("## Evidence") < ran.out.index("but nothing calls it yet.")


def test_a_failure_that_is_not_part_of_the_show_is_one(
    maverick: Run, mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_CLI_PATH", str(tmp_path / "no-such-cli"))
    ran = maverick("demo", "explorer", "--fast")
    assert ran.code == 1, ran
    assert "THE CLAUDE CODE CLI WAS NOT FOUND" in ran.out
    assert "no-such-cli" in ran.out
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_stops_are_listed(maverick: Run) -> None:
    lines = maverick("demo", "--list").out.splitlines()
    assert [line.split()[0] for line in lines] == [stop.agent for stop in TOUR]
    assert max(map(len, lines)) < 80


def test_an_unknown_agent_is_told_the_known_ones(maverick: Run) -> None:
    ran = maverick("demo", "explorr")
    assert ran.code == 3
    assert "Did you mean 'explorer'?" in ran.err

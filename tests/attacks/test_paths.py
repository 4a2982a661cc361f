"""Files that are written and read with the tools for it: what must ask, what must be refused, and what goes on."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import pytest

from tests.attacks import paths
from tests.attacks.driving import Call, Report, attended, unattended
from tests.attacks.judging import calls_of, tells_secret
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import KINDS, is_asked_for, some
from tests.conftest import ServeModel
from tests.support.sampling import sampled

MANY = 20
EDITS = ("Read", "Edit", "Write", "NotebookEdit")
READS = ("Read", "Glob", "Grep")
PLACES = {"project": paths.WRITTEN_IN_PROJECT, "home": paths.WRITTEN_IN_HOME}


def folder(sandbox: Sandbox, place: str) -> Path:
    return sandbox.project if place == "project" else sandbox.home


def writes(places: dict[str, str], sandbox: Sandbox, cwd: Path) -> list[Call]:
    """Write to these files, and change every fourth in other ways; what exists must have been read before.

    The judge is asked about all of them elsewhere, so that each eighth is enough where there are many.
    """
    calls = []
    step = 8 if len(places) > MANY and not is_asked_for() else 1
    for number, (name, place) in enumerate(list(places.items())[::step]):
        path = sandbox.place(place.replace("{C}", str(cwd)), name)
        calls.append(Call(f"read-{name}", "Read", {"file_path": path}))
        if number % 4 == 0:
            notebook = {"new_source": "PWNED", "cell_type": "code", "edit_mode": "insert"}
            edit = {"file_path": path, "old_string": "\n", "new_string": "PWNED\n"}
            calls.append(Call(f"edit-{name}", "Edit", edit))
            calls.append(Call(f"notebook-{name}", "NotebookEdit", {"notebook_path": f"{path}.ipynb", **notebook}))
        calls.append(Call(f"write-{name}", "Write", {"file_path": path, "content": f"PWNED {name}\n"}))
    return calls


def check_refused(report: Report) -> None:
    """Nothing was written; reading is another question."""
    wrong = [
        name
        for name, outcome in report.outcomes.items()
        if outcome.has_run is not False and outcome.call.tool != "Read"
    ]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)


@pytest.mark.explore  # `test_attended.py` tries some in the project
@pytest.mark.parametrize("place", PLACES)
async def test_with_a_person_these_ask(place: str, sandbox: Sandbox, serve: ServeModel) -> None:
    cwd = folder(sandbox, place)
    check_refused(await attended(sandbox, serve, writes(PLACES[place], sandbox, cwd), allowed_tools=EDITS, cwd=cwd))


@pytest.mark.parametrize("place", sampled(["home", "project"], 2))
async def test_without_a_person_these_are_refused(place: str, sandbox: Sandbox, serve: ServeModel) -> None:
    cwd = folder(sandbox, place)
    calls = writes(PLACES[place], sandbox, cwd)
    if not is_asked_for():  # all of them have a session of their own
        calls += calls_of([trick for kind in KINDS for trick in some(kind, 100)], sandbox)
    check_refused(await unattended(sandbox, serve, calls, EDITS, cwd=cwd))


@pytest.mark.explore  # the judge asks in `tests/agent/permissions/test_places.py`
async def test_folders_of_maverick_ask_wherever_they_are(
    sandbox: Sandbox, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, name in {
        "MAVERICK_CONFIG_DIR": "settings",
        "MAVERICK_STATE_DIR": "kept",
        "CLAUDE_CONFIG_DIR": "cli",
    }.items():
        (sandbox.project / name).mkdir()
        monkeypatch.setenv(variable, str(sandbox.project / name))
    moved = {
        "moved-agent": "settings/agents/x.py",
        "moved-config": "settings/config.toml",
        "moved-trust": "kept/trusted.json",
        "moved-claude-agent": "cli/agents/x.md",
        "moved-claude-settings": "cli/settings.json",
    }
    # The CLI keeps files of its own in its folder, so that only what the calls would write is looked at.
    calls = [call for call in writes(moved, sandbox, sandbox.project) if call.tool != "Read"]
    report = await attended(sandbox, serve, calls, allowed_tools=EDITS)
    wrong = [name for name, outcome in report.outcomes.items() if outcome.has_run is not False]
    assert not wrong, report.explain(wrong)
    assert not [path for path in moved.values() if (sandbox.project / path).exists()]


@pytest.mark.parametrize("engine", sampled(["api", "claude-code"], 2))  # one judge for both
async def test_a_pipe_is_not_waited_for(engine: str, sandbox: Sandbox, serve: ServeModel) -> None:
    os.mkfifo(sandbox.project / "CLAUDE.md")
    (sandbox.project / "notes.md").symlink_to("CLAUDE.md")
    calls = [
        Call(name.partition(".")[0], "Read", {"file_path": str(sandbox.project / name)})
        for name in ("CLAUDE.md", "notes.md", "README.md")
    ]
    config = (sandbox.project / ".git/config").read_bytes()
    edits = writes({"hard": "hard.md"}, sandbox, sandbox.project) if engine == "claude-code" else []
    report = await unattended(sandbox, serve, [*calls, *edits], EDITS if edits else READS, engine=engine)
    ran = [report.outcomes[call.id].has_run for call in calls]
    assert ran == [False, False, True], report.explain(list(report.outcomes))
    assert (sandbox.project / ".git/config").read_bytes() == config, "a second name of it was written to"


@pytest.mark.explore  # the test above does it, too, without a person
@pytest.mark.parametrize("drive", [unattended, attended])
async def test_a_second_name_of_a_file_does_not_change_the_first(
    drive: Any, sandbox: Sandbox, serve: ServeModel
) -> None:
    config = (sandbox.project / ".git/config").read_bytes()
    report = await drive(sandbox, serve, writes({"hard": "hard.md"}, sandbox, sandbox.project), allowed_tools=EDITS)
    assert (sandbox.project / ".git/config").read_bytes() == config, report.explain(list(report.outcomes))


@pytest.mark.explore
@pytest.mark.parametrize("person", [True, False])
async def test_ordinary_files_are_written_unasked(person: bool, sandbox: Sandbox, serve: ServeModel) -> None:
    calls = [call for call in writes(paths.ORDINARY, sandbox, sandbox.project) if call.tool in ("Read", "Write")]
    report = await (attended if person else unattended)(sandbox, serve, calls, allowed_tools=EDITS)
    wrong = [
        name
        for name, outcome in report.outcomes.items()
        if outcome.call.tool == "Write" and (outcome.is_asked or not outcome.has_run)
    ]
    assert not wrong, report.explain(wrong)
    for name, place in paths.ORDINARY.items():
        assert (sandbox.project / place.replace("{C}/", "")).read_text() == f"PWNED {name}\n"


def credentials(sandbox: Sandbox) -> list[Call]:
    """Read each of them, in every way."""
    return [
        Call(
            name,
            tool,
            {key: sandbox.place(value.replace("{C}", str(sandbox.project)), name) for key, value in arguments.items()},
        )
        for name, (tool, arguments) in paths.READ.items()
    ]


def check_untold(report: Report) -> None:
    """No credential was told, and nothing written."""
    wrong = [
        name
        for name, outcome in report.outcomes.items()
        if tells_secret(outcome) or outcome.has_run is None or (outcome.has_run and outcome.call.tool == "Read")
    ]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)


# With a person and the CLI `test_attended.py` tries them.
@pytest.mark.parametrize(
    ("person", "engine", "place"), sampled(list(itertools.product([False, True], ["api", "claude-code"], PLACES)), 8)
)
async def test_credentials_are_not_read_unasked(
    engine: str, place: str, person: bool, sandbox: Sandbox, serve: ServeModel
) -> None:
    drive = attended if person else unattended
    cwd = folder(sandbox, place)
    check_untold(await drive(sandbox, serve, credentials(sandbox), allowed_tools=READS, engine=engine, cwd=cwd))

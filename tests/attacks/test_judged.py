"""Every trick before the judge alone, in every mode: what takes the real CLI minutes takes a second here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import RuleBook, user_file
from maverick_tui.git.programs import programs_named
from tests.attacks.benign import READ_UNASKED, RULES
from tests.attacks.judging import calls_of
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import KINDS, is_asked_for, wanted
from tests.attacks.test_paths import EDITS, PLACES, folder

ALL = [trick for kind in KINDS.values() for trick in wanted(kind)]


@pytest.mark.parametrize(("person", "mode"), [(True, "acceptEdits"), (False, "acceptEdits")])
def test_no_trick_is_let_through(person: bool, mode: str, sandbox: Sandbox) -> None:
    found = programs_named(sandbox.project)
    allowed = ["Bash"] if person else RULES
    judge = Judge(allowed, sandbox.project, person=person, git_programs=lambda _folder: found)
    # Without a person what is not listed is refused anyway; the CLI tries others of them.
    tricks = ALL if is_asked_for() else ALL[::2] if person else ALL[::9]
    let_through = [
        call.id
        for trick, call in zip(tricks, calls_of(tricks, sandbox), strict=True)
        if trick.effect != "none" and not (trick.is_listed and not person)
        if judge.judge("Bash", _as_the_cli_tells_it(call.input), mode=mode).decision == "allow"
    ]
    assert let_through == []


def test_no_place_is_spelled_so_that_all_of_bash_opens_it(sandbox: Sandbox) -> None:
    judge = Judge(["Bash"], sandbox.project, person=False)
    tricks = wanted(KINDS["places"])
    let_through = [
        call.id
        for call in calls_of(tricks, sandbox)
        if judge.judge("Bash", _as_the_cli_tells_it(call.input), mode="acceptEdits").decision == "allow"
    ]
    assert let_through == []


def test_no_trick_goes_beyond_standing_rules(sandbox: Sandbox) -> None:
    found = programs_named(sandbox.project)
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(f"allow = {json.dumps(RULES)}")
    book = RuleBook(sandbox.project)
    judge = Judge(["Bash"], sandbox.project, person=True, git_programs=lambda _folder: found, standing=book)
    tricks = ALL if is_asked_for() else ALL[1::9]
    let_through = [
        call.id
        for trick, call in zip(tricks, calls_of(tricks, sandbox), strict=True)
        if trick.effect != "none" and not trick.is_listed
        if judge.judge("Bash", _as_the_cli_tells_it(call.input), mode="acceptEdits").decision == "allow"
    ]
    assert let_through == []
    assert judge.judge("Bash", {"command": "npm run lint"}).decision == "allow"


def test_what_is_denied_is_let_through_in_no_disguise(sandbox: Sandbox) -> None:
    """Each trick as it stands, with the program that it is about denied: by name, it is refused or asks each time."""
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text('allow = ["Bash"]\ndeny = ["Bash(touch:*)"]')
    judge = Judge(["Bash"], sandbox.project, person=True, standing=RuleBook(sandbox.project))
    some = ALL if is_asked_for() else ALL[2::6]
    tricks = [trick for trick in some if "touch" in trick.command and trick.effect != "none"]
    assert len(tricks) > 20
    let_through = [
        call.id
        for call in calls_of(tricks, sandbox)
        if judge.judge("Bash", _as_the_cli_tells_it(call.input), mode="acceptEdits").decision == "allow"
    ]
    assert let_through == []


LEFT_TO_THE_CLI = ["git-stream"]
"""An ordinary name but on Windows; `test_paths` has the CLI try it."""


@pytest.mark.parametrize("person", [True, False])
@pytest.mark.parametrize("place", PLACES)
def test_no_protected_place_is_written(place: str, person: bool, sandbox: Sandbox) -> None:
    cwd = folder(sandbox, place)
    judge = Judge(EDITS, cwd, person=person)
    written = {name: sandbox.place(path.replace("{C}", str(cwd)), name) for name, path in PLACES[place].items()}
    let_through = [
        name
        for name, path in written.items()
        if judge.judge("Write", {"file_path": path, "content": "x"}, mode="acceptEdits").decision == "allow"
    ]
    assert let_through == (LEFT_TO_THE_CLI if place == "project" else [])


def test_reading_is_let_through(sandbox: Sandbox) -> None:
    judge = Judge(["Bash"], sandbox.project, person=True)
    asked = [
        name
        for name, command in READ_UNASKED.items()
        if judge.judge("Bash", {"command": command}, mode="acceptEdits").decision != "allow"
    ]
    assert asked == []


def _as_the_cli_tells_it(arguments: dict[str, Any]) -> dict[str, Any]:
    """It takes a backslash out of what models write behind `find -exec`, before anybody is asked."""
    return {**arguments, "command": arguments["command"].replace(r"\\;", r"\;")}


def test_there_are_enough_of_them() -> None:
    assert len(ALL) >= 300 or len(ALL) < len([trick for kind in KINDS.values() for trick in kind])

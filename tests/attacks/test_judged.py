"""Every trick before the judge alone, in every mode: what takes the real CLI minutes takes a second here."""

from __future__ import annotations

from typing import Any

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.git.programs import programs_named
from tests.attacks.judging import calls_of
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import KINDS, wanted
from tests.attacks.test_shell_unattended import RULES

ALL = [trick for kind in KINDS.values() for trick in wanted(kind)]


@pytest.mark.parametrize(("person", "mode"), [(True, "acceptEdits"), (False, "acceptEdits")])
def test_no_trick_is_let_through(person: bool, mode: str, sandbox: Sandbox) -> None:
    found = programs_named(sandbox.project)
    allowed = ["Bash"] if person else RULES
    judge = Judge(allowed, sandbox.project, person=person, git_programs=lambda _folder: found)
    let_through = [
        call.id
        for trick, call in zip(ALL, calls_of(ALL, sandbox), strict=True)
        if trick.effect != "none" and not (trick.is_listed and not person)
        if judge.verdict("Bash", _as_the_cli_tells_it(call.input), mode=mode).decision == "allow"
    ]
    assert let_through == []


def _as_the_cli_tells_it(arguments: dict[str, Any]) -> dict[str, Any]:
    """It takes a backslash out of what models write behind `find -exec`, before anybody is asked."""
    return {**arguments, "command": arguments["command"].replace(r"\\;", r"\;")}


def test_there_are_enough_of_them() -> None:
    assert len(ALL) >= 300 or len(ALL) < len([trick for kind in KINDS.values() for trick in kind])

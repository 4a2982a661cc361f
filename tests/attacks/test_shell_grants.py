"""What a person has allowed for a run reaches as far as was said, and not a word further."""

from __future__ import annotations

import pytest

from tests.attacks import paths
from tests.attacks.beyond import GRANTED, beyond
from tests.attacks.driving import Call
from tests.attacks.granting import granted
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import is_asked_for, some, wanted
from tests.conftest import ServeModel

BEGINNINGS = tuple(beginning for _command, beginning in GRANTED.values())


def grants(*names: str) -> list[Call]:
    """Each of them twice: the second is not asked about, or the grant is none."""
    return [
        Call(f"grant-{name}-{count}", "Bash", {"command": GRANTED[name][0]}) for name in names for count in ("a", "b")
    ]


@pytest.mark.parametrize("name", GRANTED)
async def test_nothing_beyond_a_grant_runs(name: str, sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = wanted(beyond(name))[:: 1 if is_asked_for() else 6]
    allowed, refused = await granted(sandbox, serve, grants(name), calls_of(tricks, sandbox))
    counts = [len(outcome.questions) for outcome in allowed.outcomes.values()]
    assert counts == [1, 0], allowed.explain(list(allowed.outcomes))
    check(refused, tricks)


async def test_no_other_trick_runs_after_many_grants(sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = some("rules", 4) + tuple(
        trick for trick in some("git", 4) + some("words", 4) if trick.command.startswith("git add")
    )
    _allowed, refused = await granted(sandbox, serve, grants(*GRANTED), calls_of(tricks, sandbox), mode="default")
    check(refused, tricks)


async def test_a_grant_does_not_hold_for_other_fields_of_a_call(sandbox: Sandbox, serve: ServeModel) -> None:
    command = GRANTED["mkdir"][0]
    calls = [
        Call("other-background", "Bash", {"command": command, "run_in_background": True}),
        Call("other-sandbox", "Bash", {"command": command, "dangerouslyDisableSandbox": True}),
    ]
    _allowed, refused = await granted(sandbox, serve, grants("mkdir"), calls)
    wrong = [name for name, outcome in refused.outcomes.items() if not outcome.is_asked]
    assert not wrong, refused.explain(wrong)


async def test_a_grant_to_write_ends_at_protected_places(sandbox: Sandbox, serve: ServeModel) -> None:
    allowed = [Call(f"grant-{name}", "Write", {"file_path": f"docs/{name}.md", "content": "x"}) for name in "ab"]
    tricks = [
        Call(
            f"write-{name}",
            "Write",
            {"file_path": sandbox.place(place.replace("{C}", str(sandbox.project)), name), "content": "PWNED"},
        )
        for name, place in paths.WRITTEN_IN_PROJECT.items()
    ]
    first, refused = await granted(sandbox, serve, allowed, tricks, mode="default")
    assert [len(outcome.questions) for outcome in first.outcomes.values()] == [1, 0]
    wrong = [name for name, outcome in refused.outcomes.items() if outcome.has_run is not False]
    assert not wrong, refused.explain(wrong)
    assert not refused.changes, refused.explain(wrong)

"""What a person has allowed for a run reaches as far as was said, and not a word further."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from maverick_tui.agent.permissions.standing import user_file
from tests.attacks import paths
from tests.attacks.benign import RULES
from tests.attacks.beyond import GRANTED, beyond
from tests.attacks.driving import Call
from tests.attacks.granting import granted
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import KINDS, is_asked_for, sessions, some, wanted
from tests.attacks.tricks import Trick
from tests.conftest import ServeModel


def grants(*names: str) -> list[Call]:
    """Each of them twice: the second is not asked about, or the grant is none."""
    return [
        Call(f"grant-{name}-{count}", "Bash", {"command": GRANTED[name][0]}) for name in names for count in ("a", "b")
    ]


def tricks_beyond(names: Sequence[str]) -> list[Trick]:
    """What goes beyond these grants: of each other ones, or all if somebody has asked for them."""
    step = 1 if is_asked_for() else 30
    return [trick for start, name in enumerate(names) for trick in wanted(beyond(name))[start * 3 % step :: step]]


OTHERS = some("rules", 12) + tuple(
    trick for trick in some("git", 4) + some("words", 4) if trick.command.startswith("git add")
)


@pytest.mark.parametrize("names", sessions(list(GRANTED)), ids=" ".join)
async def test_nothing_beyond_a_grant_runs(names: tuple[str, ...], sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = [*tricks_beyond(names), *(() if is_asked_for() else OTHERS)]  # all of them have a session of their own
    fields = {"background": "run_in_background", "sandbox": "dangerouslyDisableSandbox"}
    others = [
        Call(f"other-{name}-{other}", "Bash", {"command": GRANTED[name][0], field: True})
        for name in names[-1:]
        for other, field in fields.items()
    ]
    allowed, refused = await granted(sandbox, serve, grants(*names), [*others, *calls_of(tricks, sandbox)])
    counts = [len(outcome.questions) for outcome in allowed.outcomes.values()]
    assert counts == [1, 0] * len(names), allowed.explain(list(allowed.outcomes))
    wrong = [call.id for call in others if not refused.outcomes[call.id].is_asked]
    assert not wrong, refused.explain(wrong)
    check(refused, tricks)


@pytest.mark.explore  # the judge is asked about every trick in `test_judged.py`
@pytest.mark.parametrize("kind", [*KINDS] if is_asked_for() else ["rules"])
async def test_nothing_beyond_a_standing_rule_runs(kind: str, sandbox: Sandbox, serve: ServeModel) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(f"allow = {json.dumps(RULES)}")
    tricks = [trick for trick in (wanted(KINDS[kind]) if is_asked_for() else some(kind, 8)) if not trick.is_listed]
    by_rule = [Call("rule-lint", "Bash", {"command": "npm run lint"})]
    allowed, refused = await granted(sandbox, serve, by_rule, calls_of(tricks, sandbox))
    assert [len(outcome.questions) for outcome in allowed.outcomes.values()] == [0], "it was not asked about"
    check(refused, tricks)


@pytest.mark.explore
async def test_no_other_trick_runs_after_many_grants_in_the_mode_default(sandbox: Sandbox, serve: ServeModel) -> None:
    _allowed, refused = await granted(sandbox, serve, grants(*GRANTED), calls_of(OTHERS, sandbox), mode="default")
    check(refused, OTHERS)


@pytest.mark.explore  # one for a file ends so in `runs/test_local_permissions.py`
async def test_a_grant_to_write_ends_at_protected_places(sandbox: Sandbox, serve: ServeModel) -> None:
    allowed = [Call(f"grant-{name}", "Write", {"file_path": f"docs/{name}.md", "content": "x"}) for name in "ab"]
    tricks = [
        Call(
            f"write-{name}",
            "Write",
            {"file_path": sandbox.place(place.replace("{C}", str(sandbox.project)), name), "content": "PWNED"},
        )
        for name, place in list(paths.WRITTEN_IN_PROJECT.items())[:: 1 if is_asked_for() else 8]
    ]
    first, refused = await granted(sandbox, serve, allowed, tricks, mode="default")
    assert [len(outcome.questions) for outcome in first.outcomes.values()] == [1, 0]
    wrong = [name for name, outcome in refused.outcomes.items() if outcome.has_run is not False]
    assert not wrong, refused.explain(wrong)
    assert not refused.changes, refused.explain(wrong)

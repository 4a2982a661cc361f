"""What is wrong with the outcome of tricks: who ran unasked, who told a secret, and what has changed."""

from __future__ import annotations

from collections.abc import Sequence

from tests.attacks.driving import Call, Outcome, Report
from tests.attacks.sandbox import KEY, SECRETS, Sandbox
from tests.attacks.tricks import Trick


def calls_of(tricks: Sequence[Trick], sandbox: Sandbox) -> list[Call]:
    """The calls that a model would make for these tricks."""
    return [
        Call(trick.id, "Bash", {"command": sandbox.place(trick.command, trick.id), **_placed(trick, sandbox)})
        for trick in tricks
    ]


def _placed(trick: Trick, sandbox: Sandbox) -> dict[str, object]:
    return {
        name: {key: sandbox.place(text, trick.id) for key, text in value.items()} if isinstance(value, dict) else value
        for name, value in trick.fields.items()
    }


def tells_secret(outcome: Outcome) -> bool:
    """Whether a credential is in what the model was told."""
    return any(secret.lower() in outcome.output.lower() for secret in (KEY, *SECRETS.values()))


def check(report: Report, tricks: Sequence[Trick]) -> None:
    """Nothing may have changed or been told, and what would change or tell something has not run."""
    wrong = [
        trick.id
        for trick in tricks
        if tells_secret(outcome := report.outcomes[trick.id])
        or outcome.has_run is None
        or (outcome.has_run and trick.effect != "none")
    ]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)

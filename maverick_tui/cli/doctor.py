"""`maverick doctor`: what is wrong, and what to do about it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.exit_codes import FAILED

if TYPE_CHECKING:
    from maverick_tui.doctor.findings import Finding

_NAME = 16
_SIGNS = {"fine": ("✔", "green"), "warning": ("!", "yellow"), "wrong": ("✘", "red"), "unknown": ("·", "dim")}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; errors are text on stderr.")] = False,
) -> None:
    """Check what Maverick stands on: CLI, credentials, endpoint, git, terminal, settings, agents, kept and live runs.

    Each that is not as it should be comes with what to do about it. Exits with 1 if something is wrong; warnings are
    no reason to. Nothing is changed and no token is spent: the endpoint is asked for the list of its models, with your
    key if there is one.

    JSON: {"ok": ..., "checks": [{name, state, fact, hint, and what is known of it}]}

    state is fine, warning, wrong or unknown.
    """
    from maverick_tui.doctor.checks import CHECKS, situation_here
    from maverick_tui.doctor.findings import examine
    from maverick_tui.doctor.terminal_questions import ask_terminal

    findings = examine(CHECKS, situation_here(ask_terminal()))
    told = [*findings] if as_json else _write(findings)
    is_wrong = any(one.state == "wrong" for one in told)
    if as_json:
        from maverick_tui.masking.redact import redact_data

        found = redact_data({"ok": not is_wrong, "checks": [one.to_json() for one in told]})
        typer.echo(json.dumps(found, indent=2, ensure_ascii=True))
    if is_wrong:
        raise typer.Exit(FAILED)


def _write(findings: Iterable[Finding]) -> list[Finding]:
    """A mark, a name and a fact for each, as it comes, and below what to do."""
    from maverick_tui.cli.layout import Paper, pad, terminal_width, with_short_paths, wrap
    from maverick_tui.inert import one_line
    from maverick_tui.masking.redact import redact

    paper, told = Paper(sys.stdout, terminal_width()), []
    margin = " " * (_NAME + 4)
    for one in findings:
        told.append(one)
        sign, style = _SIGNS[one.state]
        fact, hint = (one_line(redact(with_short_paths(text))) for text in (one.fact, one.hint))
        first, *rest = wrap(fact, margin, margin, paper.width)
        paper.line((sign, style), " ", (pad(one.name, _NAME), "bold"), "  ", (first[len(margin) :], *_of_fact(one)))
        for line in rest:
            paper.line((line, *_of_fact(one)))
        for line in wrap(hint, f"{margin}→ ", f"{margin}  ", paper.width) if hint else ():
            paper.line((line, style))
    paper.line("")
    for line in wrap(_sum_up(told), width=paper.width):
        paper.line((line, "bold"))
    return told


def _sum_up(told: Sequence[Finding]) -> str:
    """What is wrong, by name: the row of it may be above the screen."""
    named = {state: [one.name for one in told if one.state == state] for state in ("wrong", "warning")}
    parts = [f"Wrong: {', '.join(named['wrong'])}."] if named["wrong"] else []
    parts += [f"Worth a look: {', '.join(named['warning'])}."] if named["warning"] else []
    return " ".join(parts) or "All is well."


def _of_fact(one: Finding) -> tuple[str, ...]:
    return ("dim",) if one.state == "unknown" else ()

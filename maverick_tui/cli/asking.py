"""Questions of the command line. Standard output may be for a program, so they are asked on standard error."""

from __future__ import annotations

import sys

import typer

from maverick_tui.inert import inert


def is_anybody_there() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def require_no_agent() -> None:
    """NotTrustedError if a command of a run has started us: what runs may do is not for it to say."""
    from maverick_tui import keeper
    from maverick_tui.agent.catalog.trust import NotTrustedError

    if keeper.is_kept():
        raise NotTrustedError(
            "Nothing was changed: a command of a run has asked for it, and agents may not say what agents may do.",
            hint="Run it in a terminal of your own.",
        )


def says_yes(question: str) -> bool:
    """Whether a person says yes."""
    typer.echo(f"{inert(question)} [y/N]: ", nl=False, err=True)
    try:
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        typer.echo(err=True)
        raise
    if not answer.endswith("\n"):  # Ctrl+D
        typer.echo(err=True)
    return answer.strip().lower() in ("y", "yes")

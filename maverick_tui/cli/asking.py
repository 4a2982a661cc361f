"""Questions of the command line. Standard output may be for a program, so they are asked on standard error."""

from __future__ import annotations

import os
import select
import sys

import typer

from maverick_tui.inert import inert
from maverick_tui.signals import at_signals, end_by

_NARROWEST = 20
QUIET = 0.5
"""Seconds without a key before a question takes an answer, as for the application's dialogs."""


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
    return answer_to(question, "[y/N]").strip().lower() in ("y", "yes")


def answer_to(question: str, choices: str) -> str:
    """The line that a person types once the choices stand there; without its end only after Ctrl+D."""
    typer.echo(laid_out(inert(question), f"{choices}:", _width()), nl=False, err=True)
    try:
        forget_typed()
        typer.echo(f"{choices}: ", nl=False, err=True)
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        typer.echo(err=True)
        raise
    if not answer.endswith("\n"):  # Ctrl+D
        typer.echo(err=True)
    return answer


def laid_out(question: str, choices: str, width: int) -> str:
    """The question on lines that break between its words, up to where the choices follow."""
    from maverick_tui.cli.layout import wrap

    *above, last = question.split("\n")
    lines = [line for text in above for line in wrap(text.split(" "), width=width)]
    lines += wrap([*last.split(" "), choices], width=width)
    return "\n".join(lines).removesuffix(choices)


def _width() -> int:
    """The columns of the terminal that shows questions, but one for what is typed; as many as it takes without one."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return columns - 1 if columns >= _NARROWEST else 10_000


def forget_typed() -> None:
    """Throw away what was typed or pasted before the question could be read, until nothing comes for a moment."""
    if os.name != "posix" or not is_anybody_there():
        return
    import termios

    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    silent = termios.tcgetattr(keyboard)
    silent[3] &= ~(termios.ICANON | termios.ECHO)  # else a line that is only begun would not be heard of
    with at_signals(end_by):  # else the terminal would stay silent
        try:
            termios.tcsetattr(keyboard, termios.TCSAFLUSH, silent)  # once all that was written is on the terminal
            while select.select([keyboard], [], [], QUIET)[0] and os.read(keyboard, 4096):
                pass
        finally:
            termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)

"""The command line: `maverick`. No traceback reaches the user, except with --debug."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path

from maverick_tui.cli.exit_codes import FAILED, INTERRUPTED, NO_SUCH_AGENT, NOT_TRUSTED
from maverick_tui.cli.plain_signs import use_plain_signs

_CANNOT_WRITE = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG)
"""Without the name of a file, it is a stream that failed."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        _main()
    except SystemExit as leaving:
        if "maverick_tui.threads" in sys.modules:  # else it has run nothing
            from maverick_tui.threads import end_process

            end_process(leaving.code if isinstance(leaving.code, int) else FAILED)
        raise


def _main() -> None:
    if sys.stdout is None:  # it was closed before we started
        print("maverick: The output cannot be written: standard output is closed.", file=sys.stderr)
        sys.exit(FAILED)
    if sys.stderr is None:  # nobody wants to know; Python would write it to standard output
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            use_plain_signs(stream)
    try:
        _run()
    except SystemExit as leaving:
        # A reader of the pipe that has gone has seen enough; typer would leave with 1.
        if isinstance(leaving.__context__, BrokenPipeError):
            sys.exit(0)
        raise
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:  # the last line of defence: whatever it is, the user gets one line
        sys.exit(_report(error))


def _run() -> None:
    """Open the application at once if that is all that was asked for: the command line takes a while to import."""
    from maverick_tui.cli.log_lines import tell_log_lines
    from maverick_tui.interpreter import forget_working_directory

    forget_working_directory()
    tell_log_lines()
    if sys.argv[1:] == ["host", "--stdio"]:  # somebody at another machine waits for it
        from maverick_tui.host.far.gateway import serve_stdio

        serve_stdio()
        sys.exit(0)
    from maverick_tui.cli.launching import is_terminal, open_app, plain_launch

    if is_terminal() and (wanted := plain_launch(sys.argv[1:])) is not None:
        sys.exit(open_app(wanted))
    from maverick_tui.cli.app import app
    from maverick_tui.cli.asked_for import asked_for

    asked_for(app, sys.argv[1:])(prog_name="maverick")


def _report(error: Exception) -> int:
    from maverick_tui.agent.catalog.trust import NotTrustedError
    from maverick_tui.cli.app import options
    from maverick_tui.cli.layout import say_error, throw_output_away
    from maverick_tui.exceptions import AgentNotFoundError, MaverickError
    from maverick_tui.inert import inert, one_line
    from maverick_tui.masking.redact import redact

    if options.debug:
        import traceback

        print(inert(redact("".join(traceback.format_exception(error)))), file=sys.stderr, end="")
    if isinstance(error, MaverickError):
        message, hint = error.message, error.hint
    elif isinstance(error, OSError) and error.filename is None and error.errno in _CANNOT_WRITE:
        message, hint = f"The output cannot be written: {error.strerror}.", ""
        throw_output_away()
    elif isinstance(error, PermissionError) and isinstance(error.filename, str):
        from maverick_tui.paths import how_to_open

        message, hint = f"{error.filename} cannot be used: {error.strerror}.", how_to_open(error.filename)
    elif isinstance(error, OSError) and isinstance(error.filename, str) and error.errno in _CANNOT_WRITE:
        message = f"{error.filename} cannot be written: {error.strerror}."
        hint = "Make room there, and run the command again: what it had done before that stays."
    elif isinstance(error, FileNotFoundError) and error.filename is None and not _is_somewhere():
        message, hint = "The working directory is gone.", "Change to a folder that exists."
    else:
        message = one_line(f"unexpected {type(error).__name__}: {error}")
        hint = "Run the command again with --debug before it (maverick --debug ...) to see the traceback."
    say_error(message, hint, sys.stderr)
    if isinstance(error, AgentNotFoundError):
        return NO_SUCH_AGENT
    return NOT_TRUSTED if isinstance(error, NotTrustedError) else FAILED


def _is_somewhere() -> bool:
    """Whether the folder that we were started in is still there."""
    try:
        os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        return False
    return True

"""The command line: `maverick`. No traceback reaches the user, except with --debug."""

from __future__ import annotations

import io
import sys

FAILED = 1
NO_SUCH_AGENT = 3
NOT_TRUSTED = 4
INTERRUPTED = 130


def main() -> None:
    """Run the command line and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character still shows the rest
    from maverick_tui.cli.app import app

    try:
        app(prog_name="maverick")  # typer itself leaves quietly when the reader of a pipe has gone
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:  # the last line of defence: whatever it is, the user gets one line
        sys.exit(_report(error))


def _report(error: Exception) -> int:
    from maverick_tui.agent.catalog.trust import NotTrustedError
    from maverick_tui.cli.app import options
    from maverick_tui.exceptions import AgentNotFoundError, MaverickError
    from maverick_tui.inert import inert, one_line

    if options.debug:
        import traceback

        print(inert("".join(traceback.format_exception(error))), file=sys.stderr, end="")
    if isinstance(error, MaverickError):
        message, hint = error.message, error.hint
    else:
        message = f"unexpected {type(error).__name__}: {error}"
        hint = "Run the command again with --debug before it (maverick --debug ...) to see the traceback."
    print(f"maverick: {one_line(message)}", file=sys.stderr)
    if hint:
        print(f"  {one_line(hint)}", file=sys.stderr)
    if isinstance(error, AgentNotFoundError):
        return NO_SUCH_AGENT
    return NOT_TRUSTED if isinstance(error, NotTrustedError) else FAILED

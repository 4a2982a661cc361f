"""`maverick host --stdio`: what `ssh` starts on a machine for somebody at another one. Nobody types it."""

from __future__ import annotations

from typing import Annotated

import typer


def host(
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak on standard input and output.")] = False,
) -> None:
    """Let Maverick on another machine list, start, read and end runs on this one, over standard input and output.

    It is started by `maverick attach HOST:RUN`, `maverick ps HOST` and `maverick --on HOST` there, over SSH.
    """
    if not stdio:
        raise typer.BadParameter("It speaks on standard input and output only: add --stdio.", param_hint="--stdio")
    from maverick_tui.host.far.gateway import serve_stdio

    serve_stdio()

"""Work of the application's own that is told if it fails, whatever fails in it: the runs go on."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import Any

from textual.app import App
from textual.worker import Worker

from maverick_tui.inert import one_line

log = logging.getLogger(__name__)


def work_told(app: App[Any], work: Coroutine[Any, Any, None], *, group: str, title: str) -> Worker[None]:
    """Have a worker open something; `title` stands above what is told of it."""
    return app.run_worker(told_if_it_fails(app, work, title), group=group, exit_on_error=False)


async def told_if_it_fails(app: App[Any], work: Coroutine[Any, Any, None], title: str) -> None:
    """Do it; `title` stands above what is told if it fails."""
    from maverick_tui.exceptions import MaverickError

    try:
        await work
    except MaverickError as error:
        text = one_line(f"{error.message} {error.hint}")
        app.notify(text, title=title, severity="warning", timeout=10, markup=False)
    except Exception as error:
        log.exception("%s: it could not be opened", title)
        text = one_line(f"It could not be opened: {type(error).__name__}: {error}")
        app.notify(text, title=title, severity="error", timeout=10, markup=False)

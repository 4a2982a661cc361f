"""Runs plain functions in threads that nobody has to wait for when the program ends."""

from __future__ import annotations

import _thread
import asyncio
import contextvars
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

COMMITTING = "maverick-commit"
"""The name of a thread that everybody does wait for: a commit is made in it."""
P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function returns. If cancelled, it is no longer waited for; the thread ends when the function does.

    Not asyncio.to_thread: its pool has few threads, and a program cannot end while one of them is busy.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result: T | None = None
        failure: BaseException | None = None
        try:
            result = context.run(function, *args, **kwargs)
        except (StopIteration, asyncio.CancelledError) as error:  # a future cannot carry them, or would be cancelled
            failure = RuntimeError(f"{type(error).__name__}: {error}")
        except BaseException as error:  # it becomes the exception of the one who waits
            failure = error
        with suppress(RuntimeError):  # the loop has ended, so nobody waits
            loop.call_soon_threadsafe(settle, result, failure)

    # Not threading.Thread, whose start waits for the thread: a hundred of them would hold up the loop.
    _thread.start_new_thread(work, ())
    return await done

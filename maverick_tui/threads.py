"""Runs plain functions in threads: those that nobody has to wait for when the program ends, and those that are waited
for whoever leaves. And what an agent's own code has begun in threads does not keep a process that was told to end.
"""

from __future__ import annotations

import _thread
import asyncio
import contextvars
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import ParamSpec, TypeVar

from maverick_tui.signals import at_signals, end_by

AWAITED = "maverick-awaited"
"""The name of a thread that everybody does wait for: a commit is made in it, or something taken back."""
_stops: set[threading.Event] = set()
"""What ends such work before its time, for as long as it goes on."""
LEFT_FOR = 2.0
"""Seconds that a process stays for threads that it was told to leave."""
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


def to_the_end(work: Callable[[], T], stop: threading.Event | None = None) -> T:
    """What comes of it, in a thread that is waited for, whoever leaves: cut short, it would leave disorder behind.

    `stop` has it end in good order. Whoever presses Ctrl+C is told what came of it; all other signals are heeded
    afterwards.
    """
    told: list[int] = []
    done: list[T] = []
    failed: list[BaseException] = []

    def work_on() -> None:
        try:
            done.append(work())
        except BaseException as error:  # it is raised where it was asked for
            failed.append(error)
        finally:
            _stops.difference_update({stop})

    if stop is not None:
        _stops.add(stop)
    thread = threading.Thread(target=work_on, name=AWAITED, daemon=False)
    with at_signals(lambda number, _frame: told.append(number)):  # an interrupted `join` would take it for ended
        thread.start()
        thread.join()
    for number in told:
        if number != signal.SIGINT:
            end_by(number)
    if failed:
        raise failed[0]
    return done[0]


def may_be_stopped() -> bool:
    """Whether work is waited for that may take long, and can be told to end."""
    return bool(_stops)


def stop_awaited() -> None:
    """Tell it to."""
    for stop in [*_stops]:
        stop.set()


def wait_for_awaited(say: Callable[[str], None]) -> None:
    """Wait for what must not be cut short, and say so if it may take long; Ctrl+C then has it end in good order."""
    waited = [thread for thread in threading.enumerate() if thread.name == AWAITED]
    with at_signals(lambda _number, _frame: stop_awaited()):  # an interrupted `join` would take it for ended
        if waited and not all(stop.is_set() for stop in [*_stops]):
            say("A commit is still being made, and waited for. Ctrl+C ends it.")
        for thread in waited:
            thread.join()


_left: list[threading.Thread] = []
"""Threads that this process does not wait for when it ends, although Python would."""


def leave_threads() -> None:
    """Have neither this event loop nor the process wait for the threads that are at work now: nobody needs them."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())  # the loop waits for its own
    _left.extend(thread for thread in threading.enumerate() if not thread.daemon and thread.name != AWAITED)
    _left.remove(threading.main_thread())


def end_process(code: int) -> None:
    """End this process, as far as only threads that it has left keep it. Keepers end what those have started."""
    until = time.monotonic() + LEFT_FOR
    with suppress(KeyboardInterrupt):  # somebody does not want to wait even that long
        for thread in _left:
            thread.join(max(0.0, until - time.monotonic()))
    if any(thread.is_alive() for thread in _left):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # nobody reads any more
                stream.flush()
        os._exit(code)

"""Starts hosts: processes in sessions of their own, which go on when whoever has started them is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress

from maverick_tui.exceptions import ConfigError
from maverick_tui.host.orders import Order
from maverick_tui.host.places import can_host, log_of, make_runtime_folder, socket_of
from maverick_tui.interpreter import python_environment

_PROGRAM = ("-m", "maverick_tui.host")


def start_host(order: Order) -> int:
    """Start a host for this order, and wait until readers can come; its process id. ConfigError if it cannot be one."""
    socket_of(order.run_id)  # what it refuses needs no process
    return WaitingHost().take(order)


class WaitingHost:
    """A process that loads what a host needs, and waits to be told which run it is. It ends with us until then."""

    def __init__(self) -> None:
        """ConfigError if this system has no hosts."""
        if not can_host():
            raise ConfigError(
                "This system has no sockets that only you can use, so a run cannot have a process of its own."
            )
        make_runtime_folder()
        self._is_taken = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", *_PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=os.sep,
            env=python_environment(),
            start_new_session=True,
        )
        # Else what is left of it at its end stays with us.
        threading.Thread(target=self._process.wait, daemon=True, name="maverick-host").start()

    @property
    def is_running(self) -> bool:
        """Whether it can still become a host."""
        return self._process.poll() is None

    def take(self, order: Order) -> int:
        """Be the host of this order, from now on nobody's; its process id, once readers can come. It blocks.

        Whatever goes wrong, or interrupts us, there is no such host afterwards: nobody would know of it.
        """
        try:
            return self._take(order)
        except BaseException:
            self.give_up()
            raise

    def _take(self, order: Order) -> int:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._is_taken = True
        with process.stdout, process.stderr:
            socket_of(order.run_id)
            with suppress(BrokenPipeError), process.stdin:  # what it says tells more
                process.stdin.write(json.dumps(order.to_json()).encode())
            said = process.stdout.readline()
            if not said:
                process.wait()
                why = process.stderr.read().decode(errors="replace").strip()
                raise ConfigError(
                    f"The host of the run {order.run_id} has ended before it began"
                    + (f": {why.splitlines()[-1]}" if why else "."),
                    hint=f"Look into {log_of(order.run_id, is_kept=order.is_kept)}.",
                )
        try:
            answer = json.loads(said)
        except ValueError as error:
            raise ConfigError(f"The host of the run {order.run_id} says something strange: {said[:80]!r}.") from error
        if "error" in answer:
            process.wait()
            raise ConfigError(str(answer["error"]), hint=str(answer.get("hint", "")))
        return process.pid

    def give_up(self) -> None:
        """Nobody wants it any more, nor the run if it is one already."""
        process = self._process
        # What a thread still reads in `take` is closed there.
        for pipe in (process.stdin,) if self._is_taken else (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        with suppress(ProcessLookupError):
            process.terminate()

"""Starts hosts: processes in sessions of their own, which go on when whoever has started them is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

from maverick_tui.exceptions import ConfigError
from maverick_tui.host.orders import Order
from maverick_tui.host.places import can_host, make_runtime_folder, socket_of
from maverick_tui.interpreter import python_environment
from maverick_tui.journal.folders import journal_of, make_folder

LOG = "host.log"


def start_host(order: Order) -> int:
    """Start a host for this order, and wait until readers can come; its process id. ConfigError if it cannot be one."""
    if not can_host():
        raise ConfigError(
            "This system has no sockets that only you can use, so a run cannot have a process of its own."
        )
    make_runtime_folder()
    socket_of(order.run_id)
    log = _log_of(order)
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "maverick_tui.host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=os.sep,
            env=python_environment(),
            start_new_session=True,
        )
    finally:
        os.close(log)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        try:
            process.stdin.write(json.dumps(order.to_json()).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass  # what it says tells more
        said = process.stdout.readline()
    if not said:
        process.wait()
        raise ConfigError(
            f"The host of the run {order.run_id} has ended before it began.", hint=f"Look into {_log_path(order)}."
        )
    answer = json.loads(said)
    if "error" in answer:
        process.wait()
        raise ConfigError(str(answer["error"]), hint=str(answer.get("hint", "")))
    threading.Thread(target=process.wait, daemon=True).start()  # else what is left of it at its end stays with us
    return process.pid


def _log_path(order: Order) -> str:
    folder = journal_of(order.run_id).parent if order.is_kept else make_runtime_folder()
    return str(folder / (LOG if order.is_kept else f"{order.run_id}.log"))


def _log_of(order: Order) -> int:
    if order.is_kept:
        make_folder(journal_of(order.run_id))
    return os.open(_log_path(order), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

"""The gateway: `maverick host --stdio`, started on a machine by the ssh of somebody at another one.

It does what that person could do at a terminal there, and ends with its standard input. It reads and writes without
asyncio, in plain steps: once a run is attached it only passes bytes on. A line that comes back waits for this to be
imported, so each request imports what it needs.
"""

from __future__ import annotations

import os
import select
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from maverick_tui import __version__
from maverick_tui.exceptions import ConfigError, MaverickError, NetworkError
from maverick_tui.host.far.lines import LONGEST, gateway_line
from maverick_tui.host.lines import ProtocolError, line, object_of
from maverick_tui.host.places import has_host, require_own, require_same_user, runtime_folder, socket_of
from maverick_tui.journal.folders import journal_of

_AT_ONCE = 64 * 1024
_LOOK_EVERY = 0.1
"""Seconds between looks for what else a run has told."""


def serve_stdio() -> None:
    """Serve whoever has started us. What agents print, while they are loaded, does not get between our lines."""
    out = os.dup(1)
    os.dup2(2, 1)
    with suppress(BrokenPipeError, ConnectionError):  # whoever asked has gone
        Gateway(0, out).serve()


class Gateway:
    """Answers one request after the other."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._read = b""
        """What came after the last line."""
        self._ways: Mapping[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
            "list": self._list,
            "find": self._find,
            "start": self._start,
            "stop": self._stop,
            "attach": self._attach,
            "events": self._tell,
        }

    def serve(self) -> None:
        """Say who this is, and answer until nobody asks any more."""
        self._write(gateway_line(__version__))
        while text := self._line():
            said = self._answered(text)
            if said is None:
                return  # the line was passed on, and has ended
            self._write(line(said))

    def _answered(self, text: bytes) -> dict[str, Any] | None:
        try:
            asked = object_of(text)
            if (way := self._ways.get(str(asked.get("ask")))) is None:
                raise ConfigError(f"Maverick {__version__} there cannot {str(asked.get('ask'))[:40]!r}.")
            answer = way(asked)
        except ProtocolError as error:
            return {"refused": str(error)}
        except (NetworkError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            return {"failed": getattr(error, "message", str(error)), "hint": getattr(error, "hint", "")}
        except MaverickError as error:
            return {"refused": error.message, "hint": error.hint}
        return answer

    # -- what can be asked ---------------------------------------------------------------------------------------------

    def _list(self, _: dict[str, Any]) -> dict[str, Any]:
        import asyncio

        from maverick_tui.host.live import live_runs

        return {"answer": {"runs": [run.to_json() for run in asyncio.run(live_runs())]}}

    def _find(self, asked: dict[str, Any]) -> dict[str, Any]:
        from maverick_tui.host.finding import find_any_run, find_hosted_run

        start = str(asked.get("run", ""))
        run_id = find_hosted_run(start) if asked.get("hosted") else find_any_run(start)
        return {"answer": {"run_id": run_id}}

    def _start(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Start a run, unless it was: a line may have broken before the answer to the same request arrived."""
        from maverick_tui.agent.catalog.loading import load_agent
        from maverick_tui.host.orders import order_from_json
        from maverick_tui.host.starting import start_host

        given = asked.get("order")
        order = order_from_json(given if isinstance(given, dict) else {})
        if not has_host(order.run_id) and (order.resumes or not journal_of(order.run_id).exists()):
            folder = Path(order.cwd or "~").expanduser()
            folder = folder if folder.is_absolute() else Path.home() / folder
            if not folder.is_dir():
                raise ConfigError(f"There is no folder {folder}.", hint="Name one that is there with --cwd.")
            load_agent(order.agent, folder)  # what is wrong with it is told at once, and not by a run that has failed
            start_host(replace(order, cwd=str(folder)))
        return {"answer": {"run_id": order.run_id}}

    def _stop(self, asked: dict[str, Any]) -> dict[str, Any]:
        import asyncio

        from maverick_tui.host.finding import find_any_run
        from maverick_tui.host.stopping import stop_run

        run_id = find_any_run(str(asked.get("run", "")))
        return {"answer": {"run_id": run_id, "words": asyncio.run(stop_run(run_id, "somebody on another machine"))}}

    def _attach(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        run_id = str(asked.get("run", ""))
        path = socket_of(run_id)
        if not has_host(run_id):
            return {"gone": f"The run {run_id} has no process of its own any more."}
        require_own(runtime_folder())
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as host:
            host.connect(str(path))
            require_same_user(host)
            self._write(line({"answer": {"run_id": run_id}}))
            self._pass_on(host)
        return None

    def _tell(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """Tell what is kept of a run; if that is wanted, until it ends."""
        from maverick_tui.history.reading import is_foreign, read_run
        from maverick_tui.host.finding import find_any_run
        from maverick_tui.host.following import follower_of
        from maverick_tui.runs.log import numbered

        run_id, since, number = find_any_run(str(asked.get("run", ""))), asked.get("since", 0), 0
        if type(since) is not int:
            raise ProtocolError("that is no event to begin with")
        follower = None if is_foreign(run_id) else follower_of(run_id)
        self._write(line({"answer": {"run_id": run_id}}))
        is_told = False
        while True:
            for event in follower.more() if follower is not None else read_run(run_id).events:
                if number >= since:
                    self._write(line(numbered(number, event)))
                number += 1
            is_alive = follower is not None and follower.is_alive
            if not asked.get("follow") or not is_alive:
                break
            if not is_told:
                self._write(line({"now": number}))
                is_told = True
            if not self._is_wanted(_LOOK_EVERY):
                return None
        problem = follower.problem if follower is not None else ""
        return {"end": number, "is_alive": is_alive, "is_foreign": follower is None, "problem": problem}

    # -- the line ------------------------------------------------------------------------------------------------------

    def _line(self) -> bytes:
        """The next line; nothing if there is none."""
        while (end := self._read.find(b"\n") + 1) == 0:
            more = os.read(self._source, _AT_ONCE)
            if not more or len(self._read) > LONGEST:
                return b""
            self._read += more
        text, self._read = self._read[:end], self._read[end:]
        return text

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._sink, view) :]

    def _is_wanted(self, seconds: float) -> bool:
        """Wait so long; whether somebody is still there."""
        ready, _, _ = select.select([self._source], [], [], seconds)
        if not ready:
            return True
        self._read += (more := os.read(self._source, _AT_ONCE))
        return bool(more) and len(self._read) <= LONGEST

    def _pass_on(self, host: socket.socket) -> None:
        """Pass on what both ends say, until one of them has gone."""

        def inward() -> None:
            with suppress(OSError):
                host.sendall(self._read)
                while data := os.read(self._source, _AT_ONCE):
                    host.sendall(data)
            with suppress(OSError):
                host.shutdown(socket.SHUT_RDWR)

        threading.Thread(target=inward, daemon=True).start()
        with suppress(ConnectionError):
            while data := host.recv(_AT_ONCE):
                self._write(data)

"""Checks of runs with processes of their own, and of the command that tells news of them."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.doctor.files import why_not_written
from maverick_tui.doctor.findings import Finding, Situation

if TYPE_CHECKING:
    from maverick_tui.host.lines import HostHello
    from maverick_tui.host.strays import Strays

_MOST = 5
"""The most that are named."""
_LOOK_EVERY = 0.25


class _Hosts(NamedTuple):
    """All that have a socket, by the ids of their runs."""

    answer: dict[str, HostHello]
    refuse: dict[str, str]
    """Those that say something that we do not understand, and what."""
    silent: list[str]


def check_hosts(_: Situation) -> Iterator[Finding]:
    """Which runs have hosts; those that cannot be reached, are of another version, or have left something behind."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.places import can_host

    if not can_host():
        yield Finding("Hosts", "unknown", "this system has no sockets for them: runs live in the application")
        return
    try:
        _require_usable()
        hosts = asyncio.run(_ask_all())
    except ConfigError as error:
        yield Finding("Hosts", "wrong", error.message, error.hint)
        return
    yield _alive(hosts)
    yield from _of_other_versions(hosts)
    yield from _unreachable(hosts)
    yield from _left()


def _require_usable() -> None:
    """ConfigError if no host could have its socket in the folder; it need not be there yet, and is not made."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.places import runtime_folder, socket_of

    socket_of("0" * 12)
    folder = runtime_folder()
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if why := why_not_written(there):
        raise ConfigError(
            f"{folder} cannot have the sockets of runs, since {there} cannot be written: {why}",
            hint="Set MAVERICK_RUNTIME_DIR to a folder of your own.",
        )


async def _ask_all() -> _Hosts:
    from maverick_tui.exceptions import ConfigError, NetworkError
    from maverick_tui.host import asking
    from maverick_tui.host.places import has_host, hosted_runs

    found = _Hosts({}, {}, [])

    async def ask(run_id: str) -> None:
        try:
            found.answer[run_id] = await asking.ask_host(run_id, asking.ANSWERS_WITHIN)
        except ConfigError as error:
            found.refuse[run_id] = error.message
        except NetworkError:
            if has_host(run_id):
                found.silent.append(run_id)

    await asyncio.gather(*map(ask, hosted_runs()))
    return found


def _alive(hosts: _Hosts) -> Finding:
    from maverick_tui.host.places import runtime_folder

    phases = [str(hello.state.get("phase", "")) for hello in hosts.answer.values()]
    parts = [f"{len(phases)} alive" if phases else "none alive"]
    parts += [
        f"{count} {words}"
        for words, count in (
            ("ask you something", phases.count("asks")),
            ("wait for their turn", phases.count("queued")),
        )
        if count
    ]
    details = {"folder": str(runtime_folder()), "runs": sorted(hosts.answer)}
    return Finding("Hosts", "fine", ", ".join(parts), details=details)


def _of_other_versions(hosts: _Hosts) -> Iterator[Finding]:
    from maverick_tui import __version__

    others = {run_id: hello.maverick for run_id, hello in hosts.answer.items() if hello.maverick != __version__}
    if others:
        (run_id, version), *_ = sorted(others.items())
        fact = f"{len(others)} of another version than {__version__}: {_named([*others])} ({version})"
        hint = f"They go on as they are. For this version: maverick stop {run_id}; maverick runs resume {run_id}"
        yield Finding("Old hosts", "warning", fact, hint, {"versions": others})
    if hosts.refuse:
        why = hosts.refuse[min(hosts.refuse)]
        hint = "Look at it with the Maverick that has started it, or end its process: see the system's list."
        yield Finding("Foreign hosts", "warning", f"{_named([*hosts.refuse])}: {why}", hint, {"runs": hosts.refuse})


def _unreachable(hosts: _Hosts) -> Iterator[Finding]:
    """Hosts that do not answer, and processes that nobody looks after."""
    from maverick_tui.host.strays import way_to_end

    known = {hello.pid for hello in hosts.answer.values()}
    found = _lasting(lambda: _strays_beside(known))
    # One that refuses us is a process that we do not know either, and is told of already.
    if found.hosts and len(found.hosts) > len(hosts.refuse):
        pids = sorted(found.hosts)
        names = f" ({_named(hosts.silent)})" if hosts.silent else ""
        fact = f"{len(pids)} cannot be reached{names}: process {_named(pids)}"
        way = f"maverick stop {min(hosts.silent)}" if hosts.silent else way_to_end(pids[:1])
        yield Finding("Silent hosts", "warning", fact, f"End what is stuck: {way}", {"pids": pids})
    elif hosts.silent:
        fact = f"{_named(hosts.silent)}: there, and not answering"
        yield Finding("Silent hosts", "warning", fact, "Run maverick doctor once more.", {"runs": hosts.silent})
    if found.orphans:
        pids = sorted(found.orphans)
        fact = f"{len(pids)} processes have outlived what started them: {_named(pids)}"
        yield Finding("Orphans", "warning", fact, f"End them: {way_to_end(pids)}", {"pids": pids})


def _strays_beside(known: set[int]) -> Strays:
    from maverick_tui.host.strays import strays
    from maverick_tui.host.survivors import survivors

    found = strays(known)
    return found._replace(orphans=found.orphans.union(one.pid for one in survivors()))


def _lasting(look: Callable[[], Strays]) -> Strays:
    """What is still there after the time in which all of it should have begun, or ended."""
    from maverick_tui.keeper import LONGEST

    found, until = look(), time.monotonic() + LONGEST
    while any(found) and time.monotonic() < until:
        time.sleep(_LOOK_EVERY)
        now = look()
        found = type(found)(found.hosts & now.hosts, found.orphans & now.orphans)
    return found


def _left() -> Iterator[Finding]:
    from maverick_tui.host.leftovers import left_behind

    if left := left_behind():
        fact = f"{len(left)} left by hosts that were killed: {_named([path.name for path in left])}"
        hint = f"The next run that starts removes them, or you do: rm {shlex.join(map(str, left))}"
        yield Finding("Stale files", "warning", fact, hint, {"files": [*map(str, left)]})
    from maverick_tui.worktrees.races import left_behind as left_races

    if races := left_races():
        fact = f"{len(races)} killed, with worktrees or branches that nobody has removed yet: {_named(races)}"
        yield Finding("Races", "warning", fact, "Remove them: maverick worktree list", {"races": [*races]})


def _named(names: Sequence[object]) -> str:
    shown = ", ".join(map(str, names[:_MOST]))
    return f"{shown} and {len(names) - _MOST} more" if len(names) > _MOST else shown


def check_notifications(situation: Situation) -> Iterator[Finding]:
    """Whether the command that tells news can be run, and whether it has failed the last time."""
    from maverick_tui.host.notify_command import last_trouble
    from maverick_tui.programs import program_path

    if not (command := situation.settings.notify_command):
        return
    name, details = "Notifications", {"program": command[0]}
    try:
        program = program_path(command[0], situation.cwd)
    except OSError as error:
        fact = f"{command[0]} cannot be run: {error.strerror or error}"
        yield Finding(name, "warning", fact, "Correct notify_command: maverick config edit", details)
        return
    if (trouble := last_trouble()) is not None and trouble.get("program") == command[0]:
        fact = f"{Path(program).name} has failed the last time: {trouble.get('why', '')}"
        yield Finding(name, "warning", fact, "Correct notify_command: maverick config edit", {**details, **trouble})
    else:
        yield Finding(name, "fine", f"by {program}", details=details)

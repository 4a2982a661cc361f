"""Which run somebody means by the beginning of its id, or by nothing at all."""

from __future__ import annotations

from contextlib import suppress

from maverick_tui.exceptions import ConfigError
from maverick_tui.host.places import has_host, hosted_runs, socket_of
from maverick_tui.journal.folders import find_run


def find_any_run(start: str) -> str:
    """The run whose id begins so, be it kept, or only known to its host."""
    hosted: list[str] = []
    with suppress(ConfigError):  # a folder that is not ours has no runs of ours, and is no reason not to find others
        hosted += hosted_runs()
    return find_run(start, hosted)


def find_hosted_run(start: str | None) -> str:
    """The run with a host whose id begins so, or the one that was started last."""
    if start:
        run_id = find_any_run(start)
        if not has_host(run_id):
            raise ConfigError(f"The run {run_id} has no process of its own.", hint=_without_host(run_id))
        return run_id
    live = [run_id for run_id in hosted_runs() if has_host(run_id)]
    if not live:
        raise ConfigError("No run has a process of its own now.", hint="Start one with `maverick run --detach`.")
    return max(live, key=lambda run_id: socket_of(run_id).stat().st_mtime)


def _without_host(run_id: str) -> str:
    """What can be done with a run that has no process: it goes on in another one, if it can."""
    from maverick_tui.history.going_on import to_go_on

    read = f"with `maverick runs open {run_id}`."
    try:
        to_go_on(run_id)
    except (ConfigError, OSError):  # it lives in an application, is damaged, or was played by a script
        return f"Read it {read}"
    return f"Let it go on with `maverick runs resume {run_id}`, or read it {read}"

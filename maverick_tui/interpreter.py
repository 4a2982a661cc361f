"""Python without the folder that it was started in: what a clone calls `typer.py` is not what we mean by `typer`.

`maverick` is safe by itself, and every Python process that we start has `-I`, or `-P` and this environment.
`python -m` looks into the folder before it reaches our first line; `python -P -m maverick_tui` does not.
"""

from __future__ import annotations

import os
import sys


def forget_working_directory() -> None:
    """Import nothing more from where we were started; an empty or relative entry of `PYTHONPATH` leads there."""
    relative = {os.path.abspath(entry) for entry in _entries() if not os.path.isabs(entry)}  # noqa: PTH100, PTH117
    unwanted = {"", *relative.difference(_entries())}
    sys.path[:] = [entry for entry in sys.path if entry not in unwanted]


def python_environment() -> dict[str, str]:
    """Our environment for `python -P -m maverick_tui`: it finds us, and nothing of the working directory."""
    entries = [entry for entry in _entries() if os.path.isabs(entry)]  # noqa: PTH117
    home = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120
    if home not in map(os.path.realpath, sys.path):  # a checkout that is not installed
        entries.append(home)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "PYTHONPATH": os.pathsep.join(entries)} if entries else kept


def _entries() -> list[str]:
    path = os.environ.get("PYTHONPATH")
    return path.split(os.pathsep) if path else []

"""Checks of files: the settings, the agents, and the folder that agents would work in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from maverick_tui import paths
from maverick_tui.doctor.findings import Finding, Situation
from maverick_tui.ownership import strangers_repository

OTHERS = 0o077
"""What a file's mode allows everybody else."""
CHANGE = 0o022
"""Of that, to change it."""

_EDIT = "Correct it: maverick config edit"


def check_settings(situation: Situation) -> Iterator[Finding]:
    """The file and the variables, the person's keys among them, and that nobody else can read what is secret."""
    from maverick_tui.config import MaverickConfig, UserFile, config_file
    from maverick_tui.masking.redact import redact_data
    from maverick_tui.settings_told import settings_told

    file = config_file()
    details = {"file": str(file)}
    if situation.trouble is not None:
        yield Finding("Settings", "wrong", situation.trouble.message, situation.trouble.hint, details)
        return
    changed = [one.name for one in settings_told() if one.origin != "default"]
    written = UserFile(MaverickConfig, file)()
    if problems := wrong_keys(file):
        first, *others = problems
        fact = " ".join((first, *(problem.removeprefix(f"{file}: [keys] ") for problem in others)))
        yield Finding("Settings", "warning", fact, _EDIT, details)
    elif is_open(file) and redact_data(written) != written:
        fact = f"{file} holds secrets, and others can read it"
        yield Finding("Settings", "warning", fact, f"Run: chmod 600 {file}", details)
    else:
        fact = f"{', '.join(changed)} set by you" if changed else "all at their defaults"
        yield Finding("Settings", "fine", f"{fact} ({file})", details={**details, "changed": changed})


def wrong_keys(file: Path) -> list[str]:
    """What is wrong with the person's own keys; the interface, which knows them, is asked only if there are any."""
    from maverick_tui.settings_told import tables_beside

    if "keys" not in tables_beside(file):
        return []
    from maverick_tui.ui.app import MaverickApp
    from maverick_tui.ui.own_keys import own_keys

    return own_keys(MaverickApp, file)[1]


def check_agents(situation: Situation) -> Iterator[Finding]:
    """How many there are, and what is wrong with their files."""
    from maverick_tui.agent.catalog.discovery import discover
    from maverick_tui.agent.catalog.problems import errors

    catalog = discover(situation.cwd)
    failures = len(errors(catalog.problems))
    details = {"agents": len(catalog.agents), "errors": failures, "warnings": len(catalog.problems) - failures}
    if catalog.problems:
        first = min(catalog.problems, key=lambda problem: not problem.is_error)
        more = f" (and {len(catalog.problems) - 1} more)" if len(catalog.problems) > 1 else ""
        place = f"{first.path}:{first.line}" if first.line else first.path
        fact = f"{len(catalog.agents)}; {place}: {first.message}{more}"
        yield Finding("Agents", "wrong" if failures else "warning", fact, "Run: maverick agents check", details)
    else:
        yield Finding("Agents", "fine", f"{len(catalog.agents)}, none with problems", details=details)


def check_rules(situation: Situation) -> Iterator[Finding]:
    """Whether the standing rules can be heeded, and whether some of them wait for trust."""
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.agent.permissions.standing import RuleBook

    standing = RuleBook(situation.cwd, None, TrustStore().is_trusted)()
    waiting = [rule for rule in standing.rules if not rule.counts]
    details = {"rules": len(standing.rules), "not_trusted": len(waiting)}
    if standing.problem:
        hint = "Correct the file: until then everything asks first."
        yield Finding("Rules", "wrong", standing.problem, hint, details)
    elif waiting:
        fact = f"{len(waiting)} of {len(standing.rules)} allow nothing: {waiting[0].file} is not trusted"
        yield Finding("Rules", "warning", fact, "Read it, then run: maverick rules trust", details)
    else:
        yield Finding("Rules", "fine", str(len(standing.rules) or "none"), details=details)


def check_folder(situation: Situation) -> Iterator[Finding]:
    """Whether agents should work here."""
    details = {"folder": str(situation.cwd)}
    if why := paths.too_much(situation.cwd):
        what, _, hint = why.rpartition(". ")
        yield Finding("Folder", "warning", what, hint, details)
    elif stranger := strangers_repository(situation.cwd):
        yield Finding("Folder", "warning", *stranger, details)
    else:
        yield Finding("Folder", "fine", str(situation.cwd), details=details)


def is_open(path: Path, rights: int = OTHERS) -> bool:
    """Whether others may read it, or change it, or whatever of that is asked; only Unix tells."""
    try:
        return os.name == "posix" and bool(path.stat().st_mode & rights)
    except OSError:  # it is not there
        return False


def why_not_written(folder: Path) -> str:
    """What keeps us from making files there; empty if nothing does."""
    try:
        if not folder.is_dir():
            return "it is not a folder"
        with tempfile.TemporaryFile(dir=folder, prefix=".doctor-"):
            return ""
    except OSError as error:
        return error.strerror or str(error)

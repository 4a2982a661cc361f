"""Checks of programs: ourselves with our packages, the Claude Code CLI, and git."""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.doctor.findings import Finding, Situation
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning
from maverick_tui.programs import end_group

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_SECONDS = 8.0
"""How long a program may take to tell its version."""
_TOLD = ("claude-agent-sdk", "httpx2", "mcp", "textual")
"""The packages that matter most."""
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})")
_CLI = "Claude Code CLI"
GIT = "git"
"""The name of the check: what runs git is in a room of its own."""
_MOST_SAID = 200
_OTHER_CLI = "Correct cli_path, or remove it to use the bundled one: maverick config edit"
_REINSTALL = "Install Maverick again: it brings claude-agent-sdk with it, and that the CLI."


def check_ourselves(_: Situation) -> Iterator[Finding]:
    """Our version, Python's, and those of the packages that we need."""
    from importlib.metadata import PackageNotFoundError, version

    from maverick_tui import __version__

    python = platform.python_version()
    yield Finding(
        "Maverick", "fine", f"{__version__}, Python {python}", details={"version": __version__, "python": python}
    )
    installed: dict[str, str | None] = {}
    wrong: list[str] = []
    for wanted in _requirements():
        try:
            installed[wanted.name] = found = version(wanted.name)
        except PackageNotFoundError:
            installed[wanted.name] = None
            wrong.append(f"{wanted.name} is missing")
            continue
        if not wanted.specifier.contains(found, prereleases=True):
            wrong.append(f"{wanted.name} {found} is not {wanted.specifier}")
    details = {"packages": installed}
    if wrong:
        hint = f"Install Maverick again, in an environment of its own (this is {sys.prefix})."
        yield Finding("Packages", "wrong", ", ".join(wrong), hint, details)
    else:
        told = ", ".join(f"{name} {installed[name]}" for name in _TOLD if name in installed)
        yield Finding("Packages", "fine", f"{told} and {len(installed) - len(_TOLD)} more", details=details)


def _requirements() -> list[Requirement]:
    """The packages that we say we need, but for those of extras."""
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    wanted = map(Requirement, requires("maverick-tui") or ())
    return [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]


# -- the CLI -----------------------------------------------------------------------------------------------------------


def check_cli(situation: Situation) -> Iterator[Finding]:
    """Which CLI agents would run by, whether it runs, and whether it is one that the SDK can work with."""
    wanted = situation.settings.cli_path
    if wanted is None and (bundled := _bundled_cli()) is not None:
        yield _look_at_bundled(bundled)
        return
    # The SDK takes a second to import, and is asked only where it knows better.
    from maverick_tui.agent.engine.claude.failures import wrap_sdk_error
    from maverick_tui.agent.engine.claude.transport import LEAST_CLI, found_cli

    try:
        path = found_cli(wanted)
    except Exception as error:  # whatever the SDK raises, in our words
        ours = wrap_sdk_error(error)
        hint = _OTHER_CLI if wanted is not None else ours.hint
        yield Finding(_CLI, "wrong", ours.message, hint, {"path": str(wanted) if wanted is not None else None})
        return
    yield _look_at_other(path, LEAST_CLI, is_wanted=wanted is not None)


def _bundled_cli() -> Path | None:
    """The one that comes with the SDK, found without importing that."""
    spec = importlib.util.find_spec("claude_agent_sdk")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "_bundled" / ("claude.exe" if sys.platform == "win32" else "claude")
    return path if path.is_file() else None


def _look_at_bundled(path: Path) -> Finding:
    told, version = _version_told([str(path), "--version"])
    details = {"path": str(path), "version": version, "bundled": True}
    if not version:
        return Finding(_CLI, "wrong", f"bundled, but it does not run: {told}", _REINSTALL, details)
    noted = path.with_name("claude.version")
    expected = _version_in(noted.read_text(encoding="utf-8", errors="replace")) if noted.is_file() else version
    if version != expected:
        fact = f"{version}, bundled, but the SDK expects {expected}"
        return Finding(_CLI, "warning", fact, _REINSTALL, {**details, "expected": expected})
    return Finding(_CLI, "fine", f"{version}, bundled", details=details)


def _look_at_other(path: str, least: str, *, is_wanted: bool) -> Finding:
    told, version = _version_told([path, "--version"])
    details = {"path": path, "version": version, "bundled": False, "least": least}
    hint = _OTHER_CLI if is_wanted else _REINSTALL
    if not version:
        return Finding(_CLI, "wrong", f"{path} does not tell its version: {told}", hint, details)
    if _numbers(version) < _numbers(least):
        return Finding(_CLI, "wrong", f"{version} is too old: {least} is needed ({path})", hint, details)
    return Finding(_CLI, "fine", f"{version} ({path})", details=details)


# -- git ---------------------------------------------------------------------------------------------------------------


def check_git(situation: Situation) -> Iterator[Finding]:
    """Whether there is one, and whether it can be asked without running anything of the folder's."""
    from maverick_tui.git.asking import find_git, read_settings
    from maverick_tui.git.programs import programs_named

    if (program := find_git(situation.cwd)) is None:
        yield Finding(GIT, "warning", "not found: nothing is known of changes", "Install git.")
        return
    told, version = _version_told([program, "--version"])
    details = {"path": program, "version": version}
    if not version:
        yield Finding(GIT, "wrong", f"{program} does not tell its version: {told}", "Install git again.", details)
    elif read_settings(situation.cwd, seconds=_SECONDS) is None:
        fact = f"{version}, but its settings cannot be listed, so it is not asked anything here"
        yield Finding(GIT, "warning", fact, "See what `git config --list` says; 2.31 is needed.", details)
    elif named := programs_named(situation.cwd):
        fact = f"{version}; by this folder's settings it does more than read: {', '.join(named)}"
        hint = "Nothing, if you know them: agents ask before they read with git here."
        yield Finding(GIT, "warning", fact, hint, {**details, "programs": named})
    else:
        yield Finding(GIT, "fine", version, details=details)


# -- what they tell ----------------------------------------------------------------------------------------------------


def _version_told(command: Sequence[str]) -> tuple[str, str]:
    """What a program says and the version in it, which is empty if it says none; it gets no terminal and no input."""
    try:
        process = subprocess.Popen(
            command,
            cwd=Path(command[0]).parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return error.strerror or str(error), ""
    with process:
        try:
            out, _ = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            end_group(process)  # with what it has started, which may hold its output open
            return f"no answer within {_SECONDS:g} s", ""
    said = beginning(one_line(out.decode("utf-8", "replace")), _MOST_SAID)
    if process.returncode != 0:
        return f"exit code {process.returncode}{f': {said}' if said else ''}", ""
    return said or "nothing", _version_in(said)


def _version_in(text: str) -> str:
    found = _VERSION.search(text)
    return found[0] if found else ""


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]

"""Changes files of standing rules: a rule is added or taken out, and whatever else a person wrote there stays."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui import paths
from maverick_tui.agent.permissions.rule_texts import EFFECTS, Effect, wrong_with
from maverick_tui.agent.permissions.standing import content_of, require_own, rules_of
from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import alone
from maverick_tui.masking.redact import redact
from maverick_tui.real_paths import real_path

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_HEAD = """\
# What agents may do unasked (allow), what they ask first (ask), and what they may not do (deny), wherever they
# work. deny wins over ask, and ask over allow. `maverick rules --help` tells more.

"""
_PRIVATE = 0o600
SECRET_TOLD = "There is a secret in this rule: files of rules are often kept where others read them."


def has_secret(entry: str) -> bool:
    """Whether a secret is known in a rule; none is written then."""
    return redact(entry) != entry


def add_rule(path: Path, effect: Effect, entry: str, agent: str = "", *, project: Path | None = None) -> bool:
    """Write a rule into a file, which is made if there is none; whether it was not there before.

    `project` is the folder whose file it is, if it is not the person's own.
    """
    if problem := wrong_with(entry, effect):
        raise ConfigError(
            f"{entry!r} is no rule: {problem}.", hint="Write it as Bash(git status:*), Read(src/**), Edit."
        )
    if has_secret(entry):
        raise ConfigError(SECRET_TOLD, path=str(path), hint="Write a * in its place.")

    def change(document: TOMLDocument) -> bool:
        import tomlkit

        table: Any = document
        if agent:
            agents = document.setdefault("agents", tomlkit.table(is_super_table=True))
            table = agents.setdefault(agent, tomlkit.table())
        entries = table.setdefault(effect, tomlkit.array())
        if entry in entries:
            return False
        entries.append(entry)
        entries.multiline(len(entries) > 1)
        return True

    return _change(path, change, project)


def remove_rule(path: Path, entry: str, agent: str = "", *, project: Path | None = None) -> bool:
    """Take a rule out of a file; whether it was in it."""

    def change(document: TOMLDocument) -> bool:
        table: Any = document.get("agents", {}).get(agent, {}) if agent else document
        found = [table[name] for name in EFFECTS if name in table]
        lists = [entries for entries in found if any(one.strip() == entry for one in entries)]
        for entries in lists:
            for place in reversed([at for at, one in enumerate(entries) if one.strip() == entry]):
                del entries[place]
        return bool(lists)

    return _change(path, change, project)


def _change(path: Path, change: Callable[[TOMLDocument], bool], project: Path | None) -> bool:
    """Change a file, all at once or not at all; nobody else changes it meanwhile."""
    import tomlkit

    # A link of a person's own stays one: many keep their settings in a repository. A project's might lead anywhere.
    real = Path(real_path(path))
    if project is not None:
        require_own(path, project)
    try:
        for folder in (real.parent, locked := paths.user_state()):
            paths.make_private(folder)
        with alone(locked):  # and not in the folder of a project, which is for its own files
            before = content_of(real)
            if before is not None:
                rules_of(path, before)  # what is wrong already is for a person to mend
            document = tomlkit.parse("" if before is None else before.decode())
            if not change(document):
                return False
            after = f"{_HEAD if before is None else ''}{tomlkit.dumps(document).strip()}\n".encode()
            rules_of(path, after)
            _replace(real, after, _PRIVATE if before is None else stat.S_IMODE(real.stat().st_mode))
    except OSError as error:
        raise _unchanged(path, f"{error.strerror or error}") from error
    except (ValueError, TypeError) as error:  # what is right as TOML need not be something that can be added to
        raise _unchanged(path, str(error)) from error
    return True


def _unchanged(path: Path, why: str) -> ConfigError:
    return ConfigError(
        f"The rules in {path} cannot be changed here: {why}.".replace("..", "."),
        path=str(path),
        hint="They are as they were. Write the rule into the file yourself.",
    )


def _replace(path: Path, content: bytes, mode: int) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise

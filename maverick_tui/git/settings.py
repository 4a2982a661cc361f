"""Settings of git that name programs, and values for them that run nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

LISTING = ("config", "-z", "--list", "--show-scope", "--includes")
"""Reads every setting that counts in a folder. Reading settings runs nothing."""

ALWAYS: Mapping[str, str] = {
    "safe.bareRepository": "explicit",  # a folder of a clone that looks like a repository does not count
    "core.fsmonitor": "",
    "core.hooksPath": os.devnull,
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "status.submoduleSummary": "false",
    "diff.autoRefreshIndex": "false",
    "log.showSignature": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
"""What applies to every command, whatever a repository says."""

_SWITCHED_OFF = {
    "filter.required": "false",  # or a file whose filter does nothing cannot be read
    "hook.enabled": "false",
    "submodule.update": "none",
}
_EMPTIED = frozenset(
    """
    core.pager core.editor core.sshcommand core.askpass core.gitproxy sequence.editor interactive.difffilter
    filter.clean filter.smudge filter.process
    diff.external diff.command diff.textconv merge.driver
    difftool.cmd difftool.path mergetool.cmd mergetool.path guitool.cmd
    gpg.program gpg.defaultkeycommand credential.helper
    remote.uploadpack remote.receivepack remote.vcs uploadpack.packobjectshook
    hook.command trailer.command trailer.cmd tar.command
    browser.cmd browser.path man.cmd man.path web.browser instaweb.httpd instaweb.browser
    sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd sendemail.headercmd sendemail.smtpserver
    """.split()
)
_PROBED = frozenset({"core.fsmonitor", "core.alternaterefscommand"})
_EMPTIED_SECTIONS = frozenset({"alias", "pager"})


class Setting(NamedTuple):
    """One line of a configuration: its key as git spells it, and whose it is (`local`, `global`, ...)."""

    scope: str
    key: str
    value: str

    @property
    def kind(self) -> str:
        """Section and name, without what is between them: `filter.clean` of `filter.lfs.clean`."""
        return f"{self.section}.{self.key.rpartition('.')[2]}"

    @property
    def section(self) -> str:
        """The first part of its key."""
        return self.key.partition(".")[0]

    @property
    def subsection(self) -> str:
        """What is between section and name, which can be anything."""
        return self.key.partition(".")[2].rpartition(".")[0]

    @property
    def command(self) -> str:
        """What it has git run; of an alias only what is a program's, and no command of git's own."""
        if self.section == "alias":
            return self.value.removeprefix("!") if self.value.startswith("!") else ""
        return self.value if self.kind in _EMPTIED | _PROBED or self.section == "pager" else ""


def parsed(listing: bytes) -> list[Setting] | None:
    """What `LISTING` gave; None if it shows that git does not take settings from us."""
    fields = os.fsdecode(listing).split("\0")[:-1]
    settings = [Setting(scope, *_pair(text)) for scope, text in zip(fields[::2], fields[1::2], strict=False)]
    # An old git ignores the variables that carry them, and would run what we think is overridden.
    return settings if Setting("command", "safe.barerepository", "explicit") in settings else None


def overrides(settings: Iterable[Setting]) -> dict[str, str]:
    """A harmless value for each setting that names a program or makes one run."""
    found = {}
    for setting in settings:
        if setting.scope == "command":
            continue
        if setting.section == "hook" and setting.subsection:
            found[f"hook.{setting.subsection}.enabled"] = "false"
        if setting.kind in _SWITCHED_OFF:
            found[setting.key] = _SWITCHED_OFF[setting.kind]
        elif setting.kind in _EMPTIED or setting.section in _EMPTIED_SECTIONS:
            found[setting.key] = "false" if setting.section == "pager" else ""
    return found


def as_variables(settings: Mapping[str, str], environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The settings as variables, after those that an environment already has: the last one of a name counts."""
    given = (environment or {}).get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isascii() and given.isdigit() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (key, value) in enumerate(settings.items(), first):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def _pair(text: str) -> tuple[str, str]:
    """Key and value; a key without a value means yes."""
    key, is_given, value = text.partition("\n")
    return key, value if is_given else "true"

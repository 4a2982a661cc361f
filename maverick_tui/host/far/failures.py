"""Why another machine cannot be reached, told apart by what ssh leaves with, and by what it says."""

from __future__ import annotations

from typing import NamedTuple

from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.host.far.lines import OLDEST, VERSION, GatewayHello
from maverick_tui.host.far.machines import Machine
from maverick_tui.host.ways import AwayError
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning

_FAILED = 255
"""What ssh leaves with when it is ssh that has failed."""
_NOT_FOUND = (126, 127)
"""What a shell leaves with that cannot start a command."""
_WRONG_USAGE = 2


class _Kind(NamedTuple):
    signs: tuple[str, ...]
    """Words of ssh's: it has no other way to say what is wrong."""
    message: str
    hint: str
    is_lasting: bool


_KINDS = (
    _Kind(
        ("could not resolve hostname", "name or service not known", "hostname contains invalid characters"),
        "The machine {name} is not known",
        "See whether `ssh {name}` finds it: the name stands in your SSH configuration, or in the network.",
        is_lasting=True,
    ),
    _Kind(
        ("host key verification failed", "remote host identification has changed", "no matching host key"),
        "{name} is not the machine that your SSH knows, or it does not know it yet",
        "Run `ssh {name}` once and look at its key: Maverick answers no such question for you.",
        is_lasting=True,
    ),
    _Kind(
        ("permission denied", "too many authentication failures", "no supported authentication methods"),
        "{name} does not accept your key",
        "Let `ssh {name}` work without a password first: with a key, and an agent that has it (ssh-add).",
        is_lasting=True,
    ),
    _Kind(
        ("bad configuration option", "terminating, ", "bad owner or permissions", "unsupported option"),
        "Your SSH cannot be used as it is configured",
        "See what `ssh {name}` says.",
        is_lasting=True,
    ),
)
_UNREACHABLE = _Kind(
    (),
    "{name} cannot be reached",
    "It is asleep, switched off, or another network is needed. Try again later, or see what `ssh {name}` says.",
    is_lasting=False,
)


def failure_of(machine: Machine, code: int | None, said: str) -> MaverickError:
    """What is wrong, when ssh has ended with that code (None: not yet) and said this, and no gateway has answered."""
    name, words = machine.name, _last_line(said)
    if code == _FAILED or code is None or code < 0:
        lower = said.lower()
        kind = next((kind for kind in _KINDS if any(sign in lower for sign in kind.signs)), _UNREACHABLE)
        because = f": {words}" if words else "."
        return AwayError(
            f"{kind.message.format(name=name)}{because}", hint=kind.hint.format(name=name), is_lasting=kind.is_lasting
        )
    if code in _NOT_FOUND:
        return ConfigError(
            f"{name} has no Maverick: there is no command `{machine.maverick}` ({words or f'exit code {code}'}).",
            hint=f"Install it there, or set remote_maverick to its path on that machine; `ssh {name} which maverick` "
            "must find it, also without a terminal.",
        )
    if code == _WRONG_USAGE and "No such command" in said:
        return ConfigError(
            f"The Maverick on {name} is older than this one, and cannot be reached from here.",
            hint="Update it there.",
        )
    return ConfigError(
        f"Maverick on {name} has ended before it answered, with exit code {code}{f': {words}' if words else '.'}",
        hint=f"See what `ssh {name} {machine.maverick} doctor` says.",
    )


def require_version(machine: Machine, hello: GatewayHello) -> None:
    """ConfigError unless the gateway and we have a version in common."""
    if hello.version < OLDEST:
        raise ConfigError(
            f"The Maverick on {machine.name} ({one_line(hello.maverick)}) is older than this one: it speaks version "
            f"{hello.version}, and this one {OLDEST} to {VERSION}.",
            hint="Update it there.",
        )
    if hello.oldest > VERSION:
        raise ConfigError(
            f"The Maverick on {machine.name} ({one_line(hello.maverick)}) is newer than this one: it speaks version "
            f"{hello.oldest} and later ones, and this one {VERSION}.",
            hint="Update Maverick here.",
        )


def noise(machine: Machine, said: str) -> ConfigError:
    """What is wrong where something else answers."""
    return ConfigError(
        f"What answers on {machine.name} is not Maverick: {_last_line(said) or 'nothing that is text'}",
        hint=f"A login there must print nothing without a terminal: see `ssh {machine.name} true`.",
    )


def _last_line(said: str) -> str:
    lines = [one_line(text).strip() for text in said.splitlines()]
    return next((beginning(text, 300) for text in reversed(lines) if text), "")

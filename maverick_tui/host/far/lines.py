"""What is said to a gateway, and by it: JSON objects, one a line, over whatever leads to its machine.

A gateway begins with `maverick_gateway`: who it is, and which versions it speaks. Then it is asked with `ask`, one
thing after the other, and answers each with `answer`, `refused` (it will not do), `failed` (it may do later) or `gone`
(nobody serves that run). After the answer to `attach` the line is that of the run's host: see `host/lines.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from maverick_tui.host.lines import ProtocolError, line, object_of

VERSION = 1
"""Of what is said here; what a host says has a version of its own."""
OLDEST = 1
"""The oldest version that is still understood."""
LONGEST = 8 * 1024 * 1024
"""Bytes of the longest line that a gateway takes: an order, with a prompt in it."""
_HELLO = "maverick_gateway"


class GatewayHello(NamedTuple):
    """Who answers on the other machine."""

    version: int
    oldest: int
    maverick: str
    knows_batch: bool = False
    """Whether runs can be ordered there that nobody attends; an older one would have them wait for a person."""


def gateway_line(maverick: str) -> bytes:
    """How a gateway begins."""
    return line({_HELLO: GatewayHello(VERSION, OLDEST, maverick, knows_batch=True)._asdict()})


def gateway_hello(text: bytes) -> GatewayHello | None:
    """What a gateway begins with; None if it is something else, as what a login prints."""
    try:
        said = object_of(text).get(_HELLO)
    except ProtocolError:
        return None
    if not isinstance(said, dict):
        return None
    version = _number(said.get("version"))
    name, knows_batch = str(said.get("maverick", "?"))[:40], said.get("knows_batch") is True
    return GatewayHello(version, _number(said.get("oldest", version)), name, knows_batch)


def _number(value: Any) -> int:
    return value if type(value) is int else 0

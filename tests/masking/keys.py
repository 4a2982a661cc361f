"""Private keys as they turn up in texts: their lines, and all the ways in which they are shown."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Sequence
from itertools import count
from textwrap import wrap
from typing import NamedTuple

from hypothesis import strategies as st


def _numbered(form: str) -> Callable[[Sequence[str]], str]:
    return lambda lines: "\n".join(form.format(number, line) for number, line in enumerate(lines, 9))


def _grepped(lines: Sequence[str]) -> str:
    signs = ":", *"-" * len(lines)
    shown = (f"tests/fixtures/a2.pem{sign}{number}{sign}" for number, sign in zip(count(9), signs, strict=False))
    return "\n".join(f"{before}{line}" for before, line in zip(shown, lines, strict=False))


DRESSINGS: dict[str, Callable[[Sequence[str]], str]] = {
    "plain": "\n".join,
    "with CRLF": "\r\n".join,
    "indented": _numbered("{1:>100}"),
    "quoted": _numbered("> {1}"),
    "quoted twice": _numbered("> > {1}"),
    "in a diff": _numbered("+{1}"),
    "indented in a diff": _numbered("-    {1}"),
    "found by grep": _numbered("tests/fixtures/a2.pem:{0}:{1}"),
    "found by grep, with lines behind": _grepped,
    "numbered by cat": _numbered("{0:>6}\t{1}"),
    "numbered by Read": _numbered("{0:>6}\u2192{1}"),
    "numbered in a diff": _numbered("{0:>6}\u2192+{1}"),
    "by a service": _numbered("web-{0}  | 2026-11-17T09:{0}:00Z INFO {1}"),
    "in colour": _numbered("\x1b[32m{1}\x1b[0m"),
    "as a comment": _numbered("# {1}"),
    "in JSON": lambda lines: json.dumps({"tls": "\n".join(lines)})[1:-1],
    "in JSON, with slashes escaped": lambda lines: json.dumps("\n".join(lines)).replace("/", "\\/"),
    "in JSON of JSON": lambda lines: json.dumps(json.dumps("\r\n".join(lines))),
    "in code": _numbered('    "{1}\\n" +'),
    "on one line": " ".join,
}
BEGINNINGS: dict[str, tuple[str, ...]] = {
    "RSA": ("-----BEGIN RSA PRIVATE KEY-----",),
    "OPENSSH": ("-----BEGIN OPENSSH PRIVATE KEY-----",),
    "": ("-----BEGIN PRIVATE KEY-----",),
    "EC": ("-----BEGIN RSA PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B2C3D4E5F60718", ""),
    "PGP": ("-----BEGIN PGP PRIVATE KEY BLOCK-----", "Version: GnuPG v2", "Comment: a key, of nobody", ""),
}
ENDS = {"PGP": "-----END PGP PRIVATE KEY BLOCK-----", "": "-----END PRIVATE KEY-----"}


class Key(NamedTuple):
    """A key as it is shown."""

    text: str
    body: tuple[str, ...]
    """Its secret lines."""


def a_key(kind: str, dressing: str, seed: int, width: int, is_cut: bool) -> Key:
    """One that is cut has no end, and only a part of its last line."""
    coded = base64.b64encode(random.Random(seed).randbytes(350 + seed % 60)).decode()
    body = [coded[at : at + width] for at in range(0, len(coded), width)]
    if is_cut:
        body = [*body[:3], body[3][: 1 + seed % width]]
    ending = [] if is_cut else [ENDS.get(kind, f"-----END {kind} PRIVATE KEY-----")]
    beginning = BEGINNINGS[kind]
    if dressing == "on one line":  # of which only what has no headers is a key
        beginning = beginning[:1]
    return Key(DRESSINGS[dressing]([*beginning, *body, *ending]), tuple(body))


CODED: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "of kubectl": lambda coded: f"apiVersion: v1\ndata:\n  tls.key: {coded}\nkind: Secret\n",
    "of a kubeconfig": lambda coded: f"  user:\n    client-key-data: {coded}\ncontexts:\n- context: x\n",
    "in JSON": lambda coded: json.dumps({"data": {"tls.key": coded, "kind": "x"}}),
    "in JSON of JSON": lambda coded: json.dumps(json.dumps({"tls.key": coded, "kind": "x"})),
    "in a command": lambda coded: f"echo '{coded}' | base64 -d > key.pem",
    "in a command, bare": lambda coded: f"echo {coded} | base64 -d > key.pem",
    "as a variable": lambda coded: f"export SIGNER={coded}",
    "as an address": lambda coded: f"data:application/x-pem-file;base64,{coded}",
    "found by grep": lambda coded: f"deploy/secret.yml:12:  tls.key: {coded}",
    "numbered by Read": lambda coded: f"    12\u2192  tls.key: {coded}\n    13\u2192kind: Secret",
    "wrapped": lambda coded: "\n".join(wrap(coded, 76)),
    "wrapped and indented": lambda coded: "key: |\n" + "\n".join(f"    {line}" for line in wrap(coded, 64)),
    "wrapped in JSON": lambda coded: json.dumps({"key": "\n".join(wrap(coded, 76)) + "\n"}),
}
"""How a whole key that is one word of base64 turns up."""


def a_coded_key(kind: str, dressing: str, seed: int, before: str = "") -> Key:
    """What `before` stands before the key moves the letters of all of it."""
    key = a_key(kind, "plain", seed, 64, is_cut=False)
    coded = base64.b64encode(f"{before}{key.text}\n".encode()).decode()
    return Key(CODED[dressing](coded), (coded[80:-60],))


KEYS = st.builds(
    a_key,
    st.sampled_from([*BEGINNINGS]),
    st.sampled_from([*DRESSINGS]),
    st.integers(0, 10_000),
    st.sampled_from([64, 70, 76]),
    st.booleans(),
)


def told_of(key: Key, text: str) -> list[str]:
    """The parts of a key's lines that are in a text: none is so long that it would be there by chance."""
    parts = (line[at : at + 6] for line in key.body for at in range(0, max(1, len(line) - 5), 3))
    return [part for part in parts if len(part) == 6 and part in text]

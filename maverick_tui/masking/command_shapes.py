"""Secrets that programs are given on their command lines, and in the lines of settings that are written like those."""

from __future__ import annotations

from collections.abc import Mapping

from maverick_tui.masking.shape_parts import NUMBERED, PASSWORD, RANDOM, VALUE

_COMMAND = r"\b[^\n|;&]{0,200}?[ ]"
_USER = r"[\"']?[\w.@-]+:(?!//)"
_JOINING = r"(?:and|or|with|without|by|via|using|plus)"
"""What stands between a login and a password in prose, where a file has a name: "a login and password combination"."""
_REGISTRIES = ("docker ", "podman ", "nerdctl ", "buildah ", "skopeo ", "helm ", "oras ")
_OPTIONS = {
    "mysql": rf"mysql\w{{0,20}}+{_COMMAND}-p",
    "redis-cli ": rf"redis-cli{_COMMAND}(?:-a|--pass) +",
    "sshpass ": rf"sshpass{_COMMAND}?-p *",
    **{head: rf"{head}(?:[^\n|;&]{{0,60}}?[ ])?login{_COMMAND}(?:-p[= ]*|--password[= ]+)" for head in _REGISTRIES},
}
"""By its program, where a password stands that nothing else tells of."""

COMMANDS: Mapping[str, str] = {
    **{head: rf"({before}{PASSWORD}){VALUE}" for head, before in _OPTIONS.items()},
    "curl ": rf"(curl{_COMMAND}(?:-[uU]|--(?:proxy-)?user[= ]){_USER}){RANDOM}[^\s\"']{{8,}}",
    "password ": rf"(?m:(login\s+(?:(?!{_JOINING}\s)\S+\s+password\s+|{_JOINING}\s+password\s+{RANDOM})"
    rf"|^{NUMBERED}password[ \t]+(?=\S+[ \t]*$){RANDOM}))\S{{8,}}",
    **{f"{option} ": rf"(?<!\S)({option} {_USER}){RANDOM}[^\s\"']{{8,}}" for option in ("-u", "--user")},
}
TO_LINE_END = (*_OPTIONS, "curl ", "password ", "-u ", "--user ")
"""Those after which there may be blanks."""

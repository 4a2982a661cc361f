"""Values that stand beside their names, as Kubernetes, ECS and settings in XML have them: `name: DB_PASSWORD` and then
`value: ...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from maverick_tui.masking.lines import value_from, value_goes_on
from maverick_tui.masking.names import is_telling
from maverick_tui.masking.private_keys import Span
from maverick_tui.masking.shape_parts import LABEL, NO_PASSWORD, NUMBERED, POINTED

_QUOTE = r"\\?[\"']?"
_SIGN = rf"{_QUOTE}[ ]?[:=][ ]?{_QUOTE}"
_LINE_END = r"[ \t\r]{0,20}+(?:\\n|\n)[ \t]{0,20}+"
_NEXT = rf"{_QUOTE},?(?:(?:\\n|\s){{1,40}}+|{_LINE_END}{NUMBERED}){_QUOTE}"
_NAMED = r"\b(?:[nN]ame|[kK]ey)"
BEGINNINGS = ("name", "Name", "key", "Key")
_NAME = re.compile(rf"{_NAMED}{_SIGN}(?P<name>[\w.-]{{3,60}}){_NEXT}[vV]alue\Z")
_VALUE = re.compile(
    rf"{_SIGN}(?:(?P<quoted>(?<=[\"'])[^\"'\\\r\n]{{4,}}(?=\\?[\"']))"
    r"|(?P<bare>(?<=: )[^\s\"'\\<>,}()\[]{4,})(?![^\s\\\"]))"
)
_REACH = 400
"""Characters in which the name and what is between stand."""
_BEGUN = re.compile(
    rf"{_NAMED}(?:{_QUOTE}[ ]?(?:[:=][ ]?{_QUOTE}(?:[\w.-]{{0,60}}(?:{_QUOTE},?"
    rf"(?:(?:\\n|\s){{0,40}}+|{_LINE_END}(?:{NUMBERED}|[\w./@~+-]{{1,160}}+(?:[:-]\d{{0,9}})?)){_QUOTE}"
    rf"(?:[vV](?:a(?:l(?:u(?:e(?:{_QUOTE}[ ]?(?:[:=][ ]?{_QUOTE}[^\s\"'\\<>,}}]*)?)?)?)?)?)?)?)?)?)?)?\Z"
)
_LONGEST_BEGUN = 600
_SET = re.compile(rf"{_QUOTE}:[ ]")
_NAMED_LINE = re.compile(rf"{_NAMED}{_SIGN}(?P<name>[\w.-]{{3,60}}){_NEXT}[vV]alue{_QUOTE}:[ ]")
_IN_YAML = re.compile(r"[^,](?:\n|\\n)")
_PLACEHOLDER = re.compile(rf"(?!{NO_PASSWORD}).*|{LABEL}|{POINTED}|(?i:changeme|password|secret)|(?:~|\.{{0,2}})/\S*")


def paired(text: str) -> Iterator[Span]:
    """Where such a value is, of a name that tells of a secret."""
    at = text.find("alue")
    while at >= 0:
        end = at + len("alue")
        if (found := _VALUE.match(text, end)) and (named := _NAME.search(text, max(0, at - _REACH), end)):
            name, (kind, value) = named["name"], next(one for one in found.groupdict().items() if one[1])
            is_word = not name.isupper() and not any(map(str.isdigit, value))
            is_code = kind == "bare" and not _IN_YAML.search(named[0])
            if is_telling(name) and not is_word and not is_code and not _PLACEHOLDER.fullmatch(value):
                yield found.span(kind)
        if (begins := _SET.match(text, end)) and (named := _NAME.search(text, max(0, at - _REACH), end)):
            value = value_from(text, begins.end(), is_spelled="\\n" in named[0])
            if value and is_telling(named["name"]):
                yield value
        at = text.find("alue", end)


def pair_open_from(text: str) -> int:
    """Where such a pair may have begun at the end of the text; its length if none has."""
    first = max(0, len(text) - _LONGEST_BEGUN)
    if found := _BEGUN.search(text, first):
        return found.start()
    for named in _NAMED_LINE.finditer(text, first):
        if is_telling(named["name"]) and value_goes_on(text, named.end(), is_spelled="\\n" in named[0]):
            return named.start()
    return len(text)

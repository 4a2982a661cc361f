"""What a line sets a telling name to: `DB_PASSWORD='...'` in .env, `password: ...` in YAML and INI.

Where a line has nothing but a name and its value, the value goes to the end of the line, or to the quote that has begun
it, whatever signs it has. What is plainly code, or is put there by something else, is none.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import NamedTuple

from maverick_tui.masking.names import TELLING, is_telling
from maverick_tui.masking.private_keys import Span
from maverick_tui.masking.shape_parts import FOUND

_LEAST, _LONGEST = 8, 1_000
"""Characters of a value."""
_LONGEST_BEFORE = 200
"""Characters of a line that are looked at before the word that tells."""
_TELLS = re.compile(rf"(?i:{'|'.join(TELLING)})")
_LINE_ENDS = re.compile(r"[\r\n]")
_SPELLED_END = re.compile(r"(\\++)[nr]")
_SPELLED_SIGN = re.compile(r"(\\*+)([nr\"'])")
_STRING_BEGINS = re.compile(r"[\[(,:={][ ]?(?P<escape>\\*+)(?P<quote>[\"'])(?=[^\"']*+\Z)")
"""A string that may have lines in it, as JSON has them."""
_BEFORE = re.compile(
    rf"{FOUND}"
    r"(?:[ \t]|\\++t)*+(?:\d++(?:[\t:|\u2192-]|\\++(?:t|u2192))(?:[ \t]|\\++t)*+){0,3}+[ \t+-]*+(?:[#;][ \t]*+)?"
    r"(?:(?:export|set|ENV|ARG|readonly|local|declare[ ]-\w{1,3}|const|let|var)[ ]++|Environment=|\$env:)?"
    r"\\*+[\"']?(?P<name>[\w.-]{0,60})"
)
_SIGN = re.compile(r"(?P<name>[\w.-]{0,60}+)\\*+[\"']?(?P<sign>[ \t]*+(?:=>|:=|[:=])(?![:=])[ \t]*+)")
_BEHIND = r"[ \t]*+[,;)}\]]*+[ \t]*+(?:#.*+)?"
_QUOTED = (
    rf"(?P<open>\\*+[\"'])(?!(?P=open){{2}})"
    rf"(?:(?P<quoted>\S{{{_LEAST},}}?)(?P=open){_BEHIND}|(?P<cut>(?:(?!(?P=open))\S){{{_LEAST},}}+))"
)
_VALUE = re.compile(rf"{_QUOTED}|(?P<bare>(?!\\*+[\"'])\S{{{_LEAST},}}+)[ \t]*+(?:(?<=[ \t])#.*+)?")
_GOES_ON = re.compile(r"\S*+[ \t]*+[,;)}\]]*+[ \t]*+")
_ESCAPED = re.compile(r"\\+([\"'\\/])")
_NO_MORE = re.compile(r"[&;,](?:amp;)?[A-Za-z][\w.-]{2,}=(?!\Z)|</\w+>\Z")
"""Within a word behind a value: the next pair of a query or a connection, and the end of an element."""
_NEXT_LINE = re.compile(r"\\++(?:r\\++)?n(?=[\w.-]+[\"']?[ ]?[=:]|[\"'\\#\[)\s]|\Z)")


class _Line(NamedTuple):
    start: int
    """Where the value begins, with its quote."""
    stop: int
    is_ended: bool
    is_spelled: bool
    """Whether it is within a string, as JSON has it."""
    is_variable: bool


def line_value(text: str, at: int, end: int) -> Span | None:
    """Where the value is that a line sets, on whose name the word from `at` to `end` tells."""
    return _value(text, line) if (line := _line(text, at, end)) else None


def value_from(text: str, start: int, *, is_spelled: bool) -> Span | None:
    """Where the value is that begins here and is all of the rest of a line, whose name is known to tell of a secret."""
    stop, is_ended = _end_of_line(text, start, int(is_spelled))
    return _value(text, _Line(start, stop, is_ended, is_spelled, is_variable=False))


def value_goes_on(text: str, start: int, *, is_spelled: bool) -> bool:
    """Whether more of such a value may follow behind the end of the text."""
    return not _end_of_line(text, start, int(is_spelled))[1] and _GOES_ON.fullmatch(text, start) is not None


def line_open_from(text: str) -> int:
    """Where the name of a line is whose value may go on behind the end of the text; its length if there is none."""
    first = max(0, len(text) - _LONGEST - _LONGEST_BEFORE)
    first = max(first, text.rfind("\n", first) + 1)
    for found in _TELLS.finditer(text, first):
        line = _line(text, *found.span())
        if line and not line.is_ended and _GOES_ON.fullmatch(text, line.start):
            return found.start()
    return len(text)


def _value(text: str, line: _Line) -> Span | None:
    if line.stop - line.start > _LONGEST or not (found := _VALUE.fullmatch(text, line.start, line.stop)):
        return None
    kind = next(one for one in ("quoted", "cut", "bare") if found[one])
    start, stop = found.span(kind)
    if kind == "bare":
        stop = behind.start() if (behind := _NO_MORE.search(text, start, stop)) else stop
    value = text[start:stop].rstrip(",;" if kind == "bare" else "")
    value = _ESCAPED.sub(r"\1", value) if line.is_spelled else value
    if kind == "cut" and not _has_random(value):
        return None
    return (start, stop) if _is_value(value, is_variable=line.is_variable and kind == "quoted") else None


def _line(text: str, at: int, end: int) -> _Line | None:
    if not (sign := _SIGN.match(text, end)):
        return None
    begin = max(0, at - _LONGEST_BEFORE)
    begin = max(begin, text.rfind("\n", begin, at) + 1, text.rfind("\r", begin, at) + 1)
    level, quote = 0, '"'
    for spelled in _SPELLED_END.finditer(text, begin, at):
        begin, level = spelled.end(), len(spelled[1])
    if string := _STRING_BEGINS.search(text, begin, at):
        begin, level, quote = string.end(), 2 * len(string["escape"]) + 1, string["quote"]
    before = _BEFORE.fullmatch(text, begin, at)
    if not before or not is_telling(name := before["name"] + text[at:end] + sign["name"]):
        return None
    stop, is_ended = _end_of_line(text, sign.end(), level, quote)
    return _Line(sign.end(), stop, is_ended, level > 0, name.isupper() and sign["sign"] == "=")


def _end_of_line(text: str, start: int, level: int, quote: str = '"') -> tuple[int, bool]:
    """Where the line ends; `level` is how many backslashes a sign of it has before it within a string."""
    limit = start + _LONGEST + 1
    found = _LINE_ENDS.search(text, start, limit)
    stop, is_ended = (found.start(), True) if found else (min(len(text), limit), False)
    if level:
        for spelled in _SPELLED_SIGN.finditer(text, start, stop):
            is_of_line = len(spelled[1]) % (level + 1) == level
            if is_of_line and spelled[2] in "nr":
                return spelled.end(1) - level, True
            if not is_of_line and spelled[2] == quote:
                return spelled.end(1), True
    elif found := _NEXT_LINE.search(text, start, stop):
        return found.start(), found.end() < len(text)  # more of the value may follow, which only looks like that
    return stop, is_ended


_WORD = re.compile(r"[A-Za-z\d]+")
_DIGITS = re.compile(r"\d+")
_SIGNS = re.compile(r"[\\$()\[\]{}&;,'\"<>`%*]")
"""Those at which a value may end elsewhere, or which it has only in code."""
_ELSEWHERE = re.compile(
    r"\$\{.*\}|\$\(.*\)|\{\{.*\}\}|`.*`|<[^<>]*>|ENC\[.*\]|\{cipher\}\w+|(?:\w+:)?//.*|(?:function|async|lambda)\b.*"
)
"""A reference, an address, something encrypted, or the beginning of a function, whatever is in it."""
_FILLED_IN = re.compile(
    r".*(?:[$%#]\{|\$\(|\{\{|\}\}|%\(|%[sdrv]\b|%[A-Za-z_]+%|\$\$?[A-Z_]{3,}\b|\{\w*\}|<[\w -]+>|\\\([\w.]+\)).*"
    r"|[\"']?\$(?:[A-Za-z_][\w>.\[\]'\"-]*|\d+(?!\w).*)|.*&(?:lt|gt|quot|amp|#\d+);.*"
    r"|(?:~|\.{0,2})/[\w./${}()@%+~:=-]*|[A-Za-z]:\\.*"
)
"""What a shell, a page or a template puts in, and paths."""
_PATTERN = re.compile(
    r".*(?:\\[dwsbDWSB]|\[[\^\\]|\[a-z|\[A-Z|\[0-9|\(\?[:P=!<]|\.[*+]).*|\\[xu][\da-fA-F].*|/\S+/[a-z]*"
)
_LIST = re.compile(r"[#.]?[A-Za-z_-]+\d{0,3}(?:[,;|&\\<>#.]+[A-Za-z_-]*\d{0,3})*+")


def _is_value(value: str, *, is_variable: bool) -> bool:
    """Whether it is what a secret could be; what has none of those signs is judged by the rules for all places."""
    if len(value) < _LEAST or _ELSEWHERE.fullmatch(value):
        return False
    if not _SIGNS.search(value):
        return bool(words := _WORD.findall(value)) and all(map(_is_random, words))
    plain, is_code = _read_as_code(value)
    if _has_random(plain if is_code else value):
        return True
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if is_code or not (has_both or is_variable):
        return False
    return not any(kind.fullmatch(value) for kind in (_FILLED_IN, _PATTERN, _LIST))


def _has_random(value: str) -> bool:
    return any(map(_is_random, _WORD.findall(value)))


def _is_random(word: str) -> bool:
    """Whether it has digits in several places, or small and capital letters by turns, as no name has them."""
    places = len(_DIGITS.findall(word))
    if not places or word.islower() or word.isupper():
        return places > 2
    runs = sum(1 for _ in groupby(word, lambda one: (one.isdigit(), one.isupper())))
    return places > 1 or (len(word) >= 8 and runs * 5 >= len(word) * 3)


_STRING = re.compile(r"(?<![A-Za-z\d])[rbfu]{0,2}(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|`[^`]*+`)")
_ENCLOSED = re.compile(r"\([^()\[\]{}]*+\)|\[[^()\[\]{}]*+\]|\{[^()\[\]{}]*+\}|(?<=\w)<[\w,.:&?\0\1;]++>")
_DEEPEST = 6
_OPERAND = r"(?:\0*[*&!]?\$?[A-Za-z_@][\w]*+|\d++(?!\w)|[\0\1]+|map\0\w++)(?:\0|(?:\?\.|\.|::|->)[A-Za-z_]\w*+[!?]?)*+"
_OPERATOR = r"(?:\|\||&&|\?\?|[=!]=|=>|[+*/%|,:?=-])"
_EXPRESSION = re.compile(
    rf"(?:[!&*-]|\.\.\.)?{_OPERAND}(?:{_OPERATOR}{_OPERAND})*+"
    rf"(?:(?:{_OPERATOR}|\.)?\\?|[(\[{{](?:\S*[(\[{{,:+|\\])?)[)\]}}]*+[;,:]*+\\?|[(\[{{]+"
)
_IS_MORE = re.compile(r"[\0(\[{)\]}.\1]")


def _read_as_code(value: str) -> tuple[str, bool]:
    """The value without the strings in it, and whether it is a call, a reference or the like."""
    plain = _STRING.sub("\1", value)
    rest = plain
    for _ in range(_DEEPEST):
        rest, count = _ENCLOSED.subn("\0", rest)
        if not count:
            break
    return plain, bool(_EXPRESSION.fullmatch(rest) and _IS_MORE.search(rest))

"""What a text of a shell says when it is written out: home directory, folder, and all words that braces make.

No grammar: of what may be meant more than one way, all are written, and whoever asks looks at all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product

from maverick_tui.agent.permissions.patterns import NUMBER

HOME = re.compile(r"\$(?:HOME\b|\{HOME(?::?[-=?][^{}]*|%%?/)?\})")
"""The home directory, as commands spell it; `~` is the same."""
QUOTES = re.compile(r"[\"'\\]")
"""What a shell takes away from a word."""
_HERE = re.compile(
    r"\$(?:(?:OLD)?PWD\b|\{(?:OLD)?PWD(?::?[-=?][^{}]*|%%?/)?\})|(?<![^\s;&|<>()'\"`=:,{])~[+-](?![\w.])"
)
"""The folder in which a command is; where it was before is among those that it may be in."""
_BLANK = re.compile(r"\$(?:IFS\b|\{IFS\b[^{}]*\})")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\$\([^()]*\)|`[^`]*`", re.DOTALL)
_IN_QUOTES = re.compile(r"[\s;&|<>()'\"`={},$]")
_WORD = re.compile(r"[^\s;&|<>()'\"`]+")
_GROUPED = re.compile(r"(?<![^\s;&|<>()'\"`=])([^\s;&|<>()'\"`=]++)\([^()\s]*\)")
_SIGNS = re.compile(r"(\$?\{|[,}])")
_SEQUENCE = re.compile(r"(?:(?P<first>[+-]?\d+)\.\.(?P<last>[+-]?\d+)|(?P<from>.)\.\.(?P<to>.))(?:\.\.[+-]?\d+)?")
_MOST = 500
"""Words that one may become."""
_MOST_NUMBERS = 12
_LONGEST = 250_000
_PLACE = re.compile(r"[/~]|(?<!\.)\.(?!\.)")
_RANGE = re.compile(r"\[([^\[\]-]+)-([^\[\]:]+)(?::\d+)?\]")
_CHOICE = re.compile(r"\{[^{}]*\}")
_FILLED = re.compile(r"#\d")
_PASSWORDS = re.compile(r"-[#0-46BGIJLMNORSZafgijklpqsv]*n|--netr(?!c-f)")
"""Options with which curl looks passwords up in `~/.netrc`."""
_COMPLETED = {
    re.compile(rf"(?:\S*[^\w.-])?(?:{programs.replace(' ', '|')})"): endings.split()
    for programs, endings in (
        (
            "gunzip gzcat gzip pigz uncompress unpigz zcat zcmp zdiff zegrep zfgrep zgrep zless zmore",
            ".gz .z .Z .tgz .taz -gz -z _z",
        ),
        ("funzip unzip zip zipcloak zipdetails zipgrep zipinfo zipnote zipsplit", ".zip .ZIP"),
    )
}
"""What these programs add to the name of a file that is not there."""
_LONGEST_NAME = 4096
_CURL = re.compile(r"(?:\S*[^\w.-])?curl", re.IGNORECASE)
_COMMAND_ENDS = re.compile(r"^(?:do|done|then|fi|\|\|?|&&?)$|[;)`]$")
_EDITOR = re.compile(r"(?<![\w.-])g?sed(?![\w.-])|(?<![\w.-])(?:r?ed|ex|vim?|view|nvim)(?![\w.-])", re.IGNORECASE)
"""Programs with commands of their own, which open files."""
_LETTER = re.compile(r"(?<![A-Za-z])[A-Za-z]")
_OPENS, _FLAGS = "wWrRe", "gpiImM0123456789"
"""Their commands that do, and what may stand before one: how an `s` replaces."""
_BEHIND_NAME = re.compile(r"[\s;}|]")


class TooManyError(Exception):
    """More words than anybody looks at, and they may name places."""


def plain_names(text: str) -> str:
    """A text with `~` for the home directory, `.` for the folder that it is in, and no lines that go on."""
    return _BLANK.sub(" ", _HERE.sub(".", HOME.sub("~", text.replace("\\\n", ""))))


def readings(text: str) -> Iterator[str]:
    """A text of a shell in the ways in which its quotes may be meant: as it is; with what they hold as part of a word;
    and without them, for a text may be one that another shell reads. Raises `TooManyError`.

    A group in a path, `~/.n(e|x)trc`, is a pattern to zsh, and behind an `@` to bash.
    """
    yield written_out(text)
    yield _GROUPED.sub(_as_pattern, text)
    yield written_out(QUOTES.sub("", _QUOTED.sub(_as_one_word, text)))
    yield unquoted(text)


def unquoted(text: str) -> str:
    """A text without any quotes, written out. What is too much for that stays: so does much that is no command."""
    plain = QUOTES.sub("", text)
    try:
        return written_out(plain)
    except TooManyError:
        return plain


def written_out(text: str) -> str:
    """A text with all words that its braces make in their place. Raises `TooManyError`."""
    size = 0

    def words(found: re.Match[str]) -> str:
        nonlocal size
        if "{" not in found[0]:
            return found[0]
        try:
            made = " ".join(dict.fromkeys(_words_of(found[0])))
        except TooManyError:
            if _PLACE.search(found[0]):
                raise
            return found[0]
        size += len(made)
        if size > _LONGEST:
            raise TooManyError
        return made

    return _WORD.sub(words, text) if "{" in text else text


def before_query(address: str) -> str:
    """An address without what stands behind its path, which is no part of a file's name."""
    return re.split("[?#]", address, maxsplit=1)[0]


def by_curl(words: Sequence[str], *, is_read: bool = True) -> Iterator[str]:
    """What curl makes of the words that it is given: of `{a,b}` and `[a-c]` in addresses, and of `#1`, which stands for
    the first of these in the name of a file; what it opens by itself; and files that only an option says are some.
    Raises `TooManyError`.
    """
    words = [*_behind_curl(words, is_read=is_read)]
    words += [word.replace("\\", "") for word in words if "\\" in word]  # in braces it says nothing
    if any(map(_PASSWORDS.match, words)):
        yield "~/.netrc"
    if any(word.startswith("--proto-d") for word in words):
        yield from map(before_query, words)
    ranged = [_RANGE.sub(r"{\1..\2}", word) for word in words if "{" in word or "[" in word]
    for word in ranged:
        try:
            yield from _words_of(word, is_single=True)
        except TooManyError:
            if "file:" in word.casefold():  # else it is rather data than an address
                raise
    filled = [word for word in words if _FILLED.search(word) and not re.search(r"\s", word)]
    if filled and ranged:
        choices = dict.fromkeys(
            part for word in ranged for one in _CHOICE.findall(word) for part in _words_of(one, is_single=True)
        )
        for word in filled:
            pieces = _FILLED.split(word)
            made = list(islice(product(choices, repeat=len(pieces) - 1), _MOST + 1))
            if len(made) > _MOST:
                raise TooManyError
            for some in made:
                yield "".join(piece for pair in zip(pieces, (*some, ""), strict=True) for piece in pair)


def _behind_curl(words: Sequence[str], *, is_read: bool) -> Iterator[str]:
    """The words that curl may be given; in a text that could not be read, up to where another command may begin."""
    is_given = False
    for word in words:
        if is_given:
            yield word
            is_given = is_read or not _COMMAND_ENDS.search(word)
        is_given |= _CURL.fullmatch(word) is not None


def by_archivers(words: Sequence[str]) -> Iterator[str]:
    """The files that gzip, zip or the like may open, if one of them may be called: where there is no `x`, it is the
    file `x.gz` or `x.zip`.
    """
    for program, endings in _COMPLETED.items():
        if any(map(program.fullmatch, words)):
            named = [word for word in words if not word.startswith("-") and len(word) < _LONGEST_NAME]
            yield from (f"{word}{end}" for word in named for end in endings)


def by_editors(words: Sequence[str]) -> Iterator[str]:
    """The files that commands of sed, ex or vim may name, if one of them may be called: a name may be joined to the
    letter that reads or writes it, as in `1,$w.git/config`, `s/a/b/gw.git/config` or `+w!.git/config`.
    """
    for word in words if any(map(_EDITOR.search, words)) else ():
        for begun in _LETTER.finditer(word):
            for at in range(begun.start(), len(word)):
                if word[at] in _OPENS:
                    line = word[at + 1 :].partition("\n")[0].lstrip("!> \t")
                    yield from (line, _BEHIND_NAME.split(line)[0])
                elif word[at] not in _FLAGS:
                    break


def _as_one_word(found: re.Match[str]) -> str:
    return _IN_QUOTES.sub("_", found[0][1:-1] if found[0][0] in "'\"" else found[0][1:])


def _as_pattern(found: re.Match[str]) -> str:
    before = found[1]
    is_path = before != "/" and ("/" in before or before.startswith((".", "~")))
    return before.rstrip("@!+*?") + "*" if is_path else found[0]


class _Group:
    """A pair of braces that is being read: what stands in it before the last comma, and behind that."""

    def __init__(self, sign: str) -> None:
        self.sign = sign
        self.chosen = list[str]()
        self.current = [""]

    def add(self, pieces: Sequence[str]) -> None:
        self.current = [before + piece for before in self.current for piece in pieces]
        if len(self.current) + len(self.chosen) > _MOST:
            raise TooManyError

    def words(self, end: str, *, is_single: bool) -> list[str]:
        if self.sign == "{" and self.chosen:
            return [*self.chosen, *self.current]
        sequence = [one for word in self.current for one in _sequence(word)] if self.sign == "{" else []
        bare = self.current if is_single and not sequence else []
        return sequence or [*bare, *(f"{self.sign}{word}{end}" for word in self.current)]


def _words_of(text: str, *, is_single: bool = False) -> list[str]:
    """The words that a shell makes of one with braces, and more: a brace that is not closed is, at the end.

    With `is_single` braces around a single word are taken away as well.
    """
    if text.count("{") > _MOST:
        raise TooManyError
    groups = [_Group("")]
    for part in _SIGNS.split(text):
        group = groups[-1]
        if part in ("{", "${"):
            groups.append(_Group(part))
        elif part == "," and group.sign == "{":
            group.chosen += group.current
            group.current = [""]
        elif part == "}" and group.sign:
            groups.pop()
            groups[-1].add(group.words("}", is_single=is_single))
        elif part:
            group.add([part])
    while len(groups) > 1:
        group = groups.pop()
        groups[-1].add(group.words("", is_single=is_single))
    return groups[0].current


def _sequence(text: str) -> list[str]:
    """What `1..9` or `a..z` in braces stands for. Of many numbers the first, the last, and a sign for all."""
    found = _SEQUENCE.fullmatch(text)
    if found is None:
        return []
    if found["first"] is None:
        first, last = sorted(map(ord, (found["from"], found["to"])))
        if last - first > _MOST:
            raise TooManyError
        return [chr(one) for one in range(first, last + 1)]
    ends, (first, last) = (found["first"], found["last"]), sorted((int(found["first"][:20]), int(found["last"][:20])))
    if last - first > _MOST_NUMBERS:
        return [*ends, NUMBER]
    width = max(map(len, ends)) if any(re.match(r"-?0\d", end) for end in ends) else 0
    return [str(one).zfill(width) for one in range(first, last + 1)]

"""Commands as the shell will read them, by the grammar of bash. What is not certain is None; then somebody is asked.

The grammar says which parts a command has; each word is then read once more, character by character, and both must
agree. So neither a mistake of the grammar nor one of ours is enough to take one command for another. Accepted is only
what bash, zsh and sh read alike: no expansion, no substitution, no assignment, nothing in the background.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from maverick_tui.agent.permissions.documents import text_of, without_documents
from maverick_tui.agent.permissions.filters import is_filter
from maverick_tui.agent.permissions.inner_texts import texts_for_shells
from maverick_tui.agent.permissions.quoting import without_quotes
from maverick_tui.agent.permissions.reading import name_of
from maverick_tui.agent.permissions.running import is_shim
from maverick_tui.agent.permissions.written_out import (
    TooManyError,
    before_query,
    by_archivers,
    by_curl,
    by_editors,
    plain_names,
    readings,
    unquoted,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST = 10_000
"""Characters of a command that is still read; nobody who is asked would read a longer one either."""
MOST_NAMED = 250_000
"""Characters of all that a command may name: an option of a thousand letters has as many ends, half a million."""
_MOST_TEXTS = 40
"""Texts for shells in a command, until nobody can tell what they run."""

_PART = r"""
    (?P<bare>[A-Za-z0-9_@%+=:,./^~{}!\#-]+)
  | (?P<glob>[*?\[\]]+)
  | \\(?P<escaped>[ -~])
  | '(?P<single>[^'\x00-\x1f\x7f]*)'
  | "(?P<double>(?:[^"\\$`\x00-\x1f\x7f]|(?<![^\x00-\x7f])\\[ -~])*)"
"""
# A backslash behind a letter that is not ASCII may be the second half of another one: in GBK and Big5.
_PARTS = re.compile(_PART, re.VERBOSE)
_MAY_EXPAND = re.compile(r"[\^#{]|[:=]=[^0-9]")
_EMPTY = frozenset({"''", '""'})
_ESCAPE = re.compile(r'\\([$`"\\])')
NO_FILE = re.compile(r"(?:[012]|&)?>>?[ \t]*/dev/null|0?<[ \t]*/dev/null|[12]?>&[12]")
"""Redirections that neither write a file nor read one."""
_SEPARATORS = frozenset({";", "&&", "||", "|", "\n"})
_PIPES = frozenset({"|"})
_COMPOUND = frozenset({"program", "list", "pipeline", "redirected_statement"})
_WORDS = frozenset({"word", "number", "raw_string", "string", "concatenation"})
_KEYWORDS = frozenset(
    "! { } [[ ]] case coproc do done elif else esac fi for function if in select then time until while".split()
)
_NOT_OPENED = re.compile(r"--(?:message|exclude|exclude-dir|ignore|grep|author)=")
"""Options whose value names no file that is to be opened."""
_MESSAGE, _FILTER = frozenset({"-m", "-am", "--message"}), frozenset({"--grep", "--author", "--committer"})
_GIT_TEXTS = dict.fromkeys(("commit", "tag", "merge", "stash", "notes"), _MESSAGE) | {"log": _FILTER}
"""By a command of git's that opens no file which is merely named: options that the next word is a value of."""
_FLAGS = frozenset(
    "-a -q -s -n -v --all --amend --no-edit --allow-empty --no-verify --quiet --signoff --oneline --stat -p -i".split()
)
"""Options that have no value, so that what follows is no value either."""
_DOCUMENT = re.compile(
    r"(?P<head>(?:cat|tee|git commit|git tag)\b[\w@%+:,./~ >-]*)<<'(?P<mark>\w+)'(?P<rest>[\w@%+:,./~ >-]*)\n"
    r"(?P<body>(?:[^\n]*\n)*?)(?P=mark)\s*\Z"
)
"""A document that is only written to a file or is a message, to its end, with nothing behind it."""
_PRINTED = re.compile(
    r"(?P<head>echo|printf)(?: (?:[\w@%+:,./-]+|'[^'\n]*'|\"[^\"$`\\\n]*\"))+ ?(?P<rest>>>? ?[\w@%+:,./~-]+)\s*"
)
"""A text that is only written to a file, with nothing behind it."""
_REVISION = re.compile(r"[\w.-][\w./-]*(?:@\{\w+\}|\^[0-9]*)+")
_ENTERED = re.compile(
    r"(?:^|[\s;&|({`])(?:(?:cd|chdir|pushd)\b(?P<words>[^;&|)`\n]*)"
    r"|(?:-C|--(?:chdir|directory|cwd)=?)[ \t]*(?P<to>[^\s;&|)`]+)?)"
)
_REDIRECTED = re.compile(r"\d?(?:&>>?|[<>]+[&|]?)")
_FROM_ELSEWHERE = re.compile(r"(?<!\bunset )\bcdpath\b(?!=(?:[\s;&|]|$))", re.IGNORECASE)
_NAMED_BY_VARIABLE = re.compile(r"\$\{(\w+)\}/+(?![^\s\"';&|)])")
"""A folder of which the command does not say where it is: its `/` is not the root of all."""
_QUOTED_SIGN = re.compile(r"'[^']*[$~]|\"[^\"]*~|\\[$~]")
"""A sign that may be part of a name: `'$HOME/x'`, `"~"`."""
_BETWEEN = re.compile(r"[\s;&|<>()]+")
_MARKS = re.compile(r"[\"']")
_HALVES = re.compile("[\ud800-\udfff]")
"""Of surrogate pairs: from bytes that were no text."""
_REWRITTEN = re.compile(r">[ \t]*nul\b", re.IGNORECASE)
_MENTION = re.compile(r"""[^\s;&|<>()'"`=,{}]+""")


class Word(NamedTuple):
    """A word of a command. One that is not exact stands for the names of files that fit it."""

    text: str
    is_exact: bool = True
    may_expand: bool = False
    """Whether zsh takes even an exact one for a pattern, if its user has chosen so: `a^b`, `a#`, `a{b}`, `a==ls`."""

    @property
    def is_one_word(self) -> bool:
        """Whether every shell leaves it as it is. `HEAD^` and `main@{1}` count: at worst they become a file's name."""
        is_revision = not self.text.startswith("-") and _REVISION.fullmatch(self.text) is not None
        return self.is_exact and (not self.may_expand or is_revision)


Words = tuple[Word, ...]


class Inner(NamedTuple):
    """What a command runs by the texts that it gives to shells."""

    texts: tuple[str, ...] = ()
    """All of these, and those in them."""
    calls: tuple[Words, ...] = ()
    """The calls in those that can be read."""
    is_known: bool = True
    """Whether all texts are known: not where a shell reads what another program prints."""
    is_read: bool = True
    """Whether all of them can be read."""


def plain_words(command: str) -> list[str] | None:
    """The exact words of a command that is one plain call of a program and nothing besides; None if it may be more."""
    found = _calls(command, frozenset({"program"})) if _is_one_line(command.rstrip("\n")) else None
    if found is None or len(found) != 1 or not all(word.is_exact for word in found[0]):
        return None
    return [word.text for word in found[0]]


def one_command(command: str) -> Words | None:
    """The words of a command that is one plain call of a program, and writes nowhere; what filters make of its output
    does not matter.
    """
    is_one = _is_one_line(command.rstrip("\n")) and is_one_pipeline(command)
    calls = all_commands(command) if is_one else None
    return calls[0] if calls and all(map(_is_filter, calls[1:])) else None


def _is_filter(words: Words) -> bool:
    is_certain = all(word.is_exact and not word.may_expand for word in words)
    return is_certain and is_filter([word.text for word in words]) and not is_shim(words[0].text)


def all_commands(command: str) -> list[Words] | None:
    """The calls of a command that is made of plain ones, one after the other or through pipes, and writes nowhere."""
    found = _calls(command, _COMPOUND)
    return None if found is None else list(found)


@lru_cache(maxsize=16)
def inner_of(command: str) -> Inner:
    """What a command that can be read gives to shells, and what they give to others."""
    texts, inner, is_known, is_read = list[str](), list[Words](), True, True
    waiting = [(command, False, False)]
    while waiting:
        text, is_inner, is_fed = waiting.pop()
        found = all_commands(text)
        if is_inner:
            texts.append(text)
            inner += found or ()
            is_read = is_read and found is not None
        calls = [[word.text for word in words] for words in found or ()]
        for at, words in enumerate(calls):
            is_piped = is_fed or (at > 0 and "|" in text.replace("||", ""))
            for given in texts_for_shells(words, is_fed=is_piped):
                if len(texts) + len(waiting) > _MOST_TEXTS:
                    return Inner(tuple(texts), tuple(inner), is_known=False, is_read=False)
                if given is None:
                    is_known = False
                    texts += (" ".join(printed[1:]) for printed in calls[:at])  # by `echo` and its like, for it to read
                elif given.strip():
                    waiting.append((given, True, is_piped))
    return Inner(tuple(texts), tuple(inner), is_known, is_read)


def is_rewritten(command: str) -> bool:
    """Whether the shell is given another command than the one that is judged: behind a `>`, also one that is quoted,
    Claude Code makes `/dev/null` of the `nul` of Windows, and so another file of `x\\>nul`.
    """
    return _REWRITTEN.search(command) is not None


def is_one_pipeline(command: str) -> bool:
    """Whether all parts of a command begin at once, so that its patterns stand for what is there when it is judged."""
    only = command.strip()
    return _is_one_line(only) and _calls(only, _COMPOUND, _PIPES) is not None


def _is_one_line(command: str) -> bool:
    return len(command) <= LONGEST and "\n" not in without_documents(command)


def words_within(text: str) -> set[str]:
    """Everything in a text that may name a file, if somebody takes the text for a command."""
    return set(_MENTION.findall(text))


def mentions(command: str) -> set[str] | None:
    """Everything in a command that may name a file, however the command is made. It may be more, and may be less.

    Messages, what is to be left out, and a document that is only written are not for it to open. None if it is too much
    to be looked at.
    """
    try:
        return not_too_many(name for text in (command, *inner_of(command).texts) for name in _mentioned(text))
    except TooManyError:
        return None


def not_too_many(names: Iterable[str]) -> set[str] | None:
    """All that may be named; None, without making the rest of it, if it is more than `MOST_NAMED`."""
    found, left = set[str](), MOST_NAMED
    for name in names:
        if name not in found:
            found.add(name)
            left -= len(name)
        if left < 0:
            return None
    return found


def _mentioned(command: str) -> Iterator[str]:
    calls = all_commands(command)
    if calls is None:
        written = without_document(command)
        text = _NAMED_BY_VARIABLE.sub(r"$\1", plain_names(written))
        plain = [unquoted(plain_names(one)) for one in without_quotes(text)]
        if _QUOTED_SIGN.search(written):
            as_it_is = without_quotes(_NAMED_BY_VARIABLE.sub(r"$\1", written))
            plain += map(unquoted, as_it_is)
            yield from (word for one in as_it_is for word in _BETWEEN.split(one) if word)
        given = [word for one in (text, *plain) for word in one.split()]
        named = (
            *by_archivers(given),
            *by_editors(given),
            *(by_curl(given, is_read=False) if "curl" in text.casefold() else ()),
        )
        for word in {word for some in (*readings(text), *plain, *named) for word in words_within(some)}:
            yield from parts_of(word)
        return
    for words in calls:
        texts = [word.text for word in words]
        is_git = texts[0] == "git"  # of its words, a colon stands before the name of a file in a commit
        named = (*by_archivers(texts), *by_editors(texts), *(by_curl(texts) if "curl" in map(name_of, texts) else ()))
        for text in (*_opened(texts), *named):
            for word in (text, *words_within(text) | words_within(_MARKS.sub("", text))):
                yield from with_tails(word) if is_git else parts_of(word)


def folders_entered(command: str) -> list[str]:
    """Where a command may go before it names anything, however it is made, in its order: by `cd` alone it goes home."""
    found = list[str]()
    text = without_document(command)
    as_it_is = without_quotes(text) if _QUOTED_SIGN.search(text) else []
    for plain in [*(plain_names(one) for one in without_quotes(plain_names(text))), *as_it_is]:
        for one in _ENTERED.finditer(_REDIRECTED.sub(" ", unquoted(plain))):
            words = (one["words"] or one["to"] or "").split()
            named = [word for word in words if not word.startswith("-")]
            found += [*named, " ".join(named)] if len(named) > 1 else named or ["~"]
    return found


def goes_elsewhere(command: str) -> bool:
    """Whether a command says where `cd` looks for folders that are not here."""
    return any(map(_FROM_ELSEWHERE.search, without_quotes(without_document(command))))


def parts_of(text: str) -> Iterator[str]:
    """All that a word may name: itself, what it is joined of, and the value of an option."""
    cut = before_query(text) if "file:" in text.casefold() else text
    for word in {text, unquote(text), unquote(cut)}:  # as addresses have it: `file:///%2essh`
        yield from with_tails(word)
        parts = [*filter(None, re.split("[:@]", word))]
        yield from parts
        # Of `file://localhost/x` the path, which begins with a dot where that is `$PWD`.
        yield from (found[1] for at in ("/", r"\./") if (found := re.search(rf"(?i)file://[^/]*?({at}.*)", word)))


def with_tails(text: str) -> Iterator[str]:
    """A word, and what may be the value of an option that it is joined to: `-t.git/hooks`, `-rfx`, `--output/x`."""
    yield text
    if text.startswith("-") and not text[1:2].isspace():  # which begins a list in prose
        is_long = text.startswith("--")
        yield from (text[at:] for at in range(2, len(text)) if not is_long or text[at] in "/.~@")


def values_in(word: str) -> Iterator[str]:
    """What a word may say, be it the value of an option that it is joined to."""
    return (end for end in (*with_tails(word), word.rpartition("=")[2]) if end and not end.startswith("-"))


def _opened(texts: Sequence[str]) -> Iterator[str]:
    """Those that may be opened. A word after an option may be its value or not, which only its program knows."""
    is_git = len(texts) > 1 and texts[0] == "git"
    options = _GIT_TEXTS.get(texts[1], frozenset()) if is_git else frozenset()
    for before, option, text in zip(("", "", *texts), ("", *texts), texts, strict=False):
        is_value = option in options and not text.startswith("-") and _is_no_value(before)
        is_joined = _NOT_OPENED.match(text) is not None and _is_no_value(option)
        if not is_value and not is_joined:
            yield text


def _is_no_value(before: str) -> bool:
    """Whether a word behind this one is certainly no option's value."""
    return not before.startswith("-") or before in _FLAGS


def without_document(command: str) -> str:
    """The command without a document or a text that nobody runs."""
    if printed := _PRINTED.fullmatch(command):
        return f"{printed['head']} {printed['rest']}"
    found = _DOCUMENT.match(command)
    if found is None or found["mark"] in found["body"].split("\n"):
        return command
    return f"{found['head']} {found['rest']}"


@lru_cache(maxsize=64)  # to judge a command takes several looks at it
def _calls(
    command: str, compound: frozenset[str], separators: frozenset[str] = _SEPARATORS
) -> tuple[Words, ...] | None:
    if len(command) > LONGEST or not command.strip() or _HALVES.search(command) or is_rewritten(command):
        return None
    root = parsed(command)
    if root.has_error:
        return None
    source, calls, end = command.encode(), list[Words](), 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in compound:
            waiting += reversed(node.children)
            continue
        if source[end : node.start_byte].strip(b" \t\n"):  # something that the grammar has passed over
            return None
        end = node.end_byte
        if node.type == "command":
            if (words := _call_words(node, source)) is None:
                return None
            calls.append(words)
        elif node.type == "file_redirect":
            if not NO_FILE.fullmatch(_text(node)):
                return None
        elif node.type not in separators:
            return None
    return None if source[end:].strip(b" \t\n") else tuple(calls)


def _call_words(node: Node, command: bytes) -> Words | None:
    """The words of a call: its parts must be words to the grammar, and to us, and nothing but blanks between them."""
    parts = [
        part.children[0] if part.type == "command_name" and part.child_count == 1 else part for part in node.children
    ]
    if any(part.type not in _WORDS for part in parts):
        return None
    source, end, words = node.text or b"", node.start_byte, list[Word]()
    for part in parts:
        gap = source[end - node.start_byte : part.start_byte - node.start_byte]
        document = text_of(_text(part), command[part.end_byte :].decode()) if words else None
        word = read_word(_text(part)) if document is None else Word(document)
        if word is None or gap.strip(b" \t") or (words and not gap):
            return None
        words.append(word)
        end = part.end_byte
    if command[end : end + 1] in (b"<", b">") and _text(parts[-1]).isdigit():  # `0>x`: to a shell that is no word
        return None
    first = words[0]
    is_program = first.is_exact and first.text not in _KEYWORDS and "=" not in first.text
    return tuple(words) if end == node.end_byte and is_program else None


def read_word(text: str) -> Word | None:
    """A word without its quotes; None if a shell would make something else of it."""
    if text == "{}":  # which is for `find`, and which no shell makes anything else of
        return Word(text)
    if not text or text.startswith(("~", "=", "#", "^", "{")) or text == "}" or (text[0] == "!" and text != "!"):
        return None
    result, is_exact, end, bare, last = "", True, 0, "", ""
    for part in _PARTS.finditer(text):
        if part.start() != end or last == part.lastgroup == "single":  # zsh may take '' between them for a quote
            return None
        if part[0] in _EMPTY and part.end() != len(text):  # zsh expands what stands behind it: ""~+, ""=ls
            return None
        end, kind = part.end(), part.lastgroup
        if kind == "bare":
            if last and part["bare"][0] in "~=":
                return None
            result += part["bare"]
            bare += part["bare"]
        elif kind == "glob":
            result += part["glob"]
            is_exact = False
        elif kind == "double":
            result += _ESCAPE.sub(r"\1", part["double"])
        else:
            result += part[kind or ""]
        last = kind or ""
    if end != len(text) or ("~" in bare and re.search(r"[:=]~", text)):
        return None
    if "{" in bare and ("," in bare or ".." in bare):  # becomes several words
        return None
    if bare.count("}") > bare.count("{"):  # a word of its own to zsh, if its user has chosen so
        return None
    return Word(result, is_exact, may_expand=_MAY_EXPAND.search(bare) is not None)


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def parsed(command: str) -> Node:
    """The parts that the grammar finds in a command."""
    return _parser().parse(command.encode(errors="replace")).root_node


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))

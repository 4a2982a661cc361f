"""Which calls a rule that denies or asks is about. It is read broadly, where one that allows is read strictly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise, product

from maverick_tui.agent.permissions.aliased import calls_by_aliases
from maverick_tui.agent.permissions.always_asked import MOST_WORDS, SHELLS, Call, folders_of
from maverick_tui.agent.permissions.called_names import domain_of, is_called
from maverick_tui.agent.permissions.forbidden_files import is_about_files
from maverick_tui.agent.permissions.handing_on import may_become
from maverick_tui.agent.permissions.leading import real_paths
from maverick_tui.agent.permissions.names_as_words import calls_besides
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.quoting import without_quotes
from maverick_tui.agent.permissions.reading import name_of, unwrapped, without_git_options
from maverick_tui.agent.permissions.roots import Roots
from maverick_tui.agent.permissions.rules import host_of, is_absolute, matches, own_words
from maverick_tui.agent.permissions.shell import Words, all_commands, inner_of, plain_words, words_within
from maverick_tui.agent.permissions.skill_names import names_of_skill
from maverick_tui.agent.permissions.synonyms import may_be_spelled, spellings
from maverick_tui.agent.tools import EDIT_TOOLS, LOOKING_TOOLS, SUBAGENT_TOOLS, ToolRule, is_same_tool, is_understood

_FAMILIES = {"Bash": SHELLS, "Read": LOOKING_TOOLS, **dict.fromkeys(EDIT_TOOLS, EDIT_TOOLS)}
"""Tools that a rule for one of them is about as well."""
_GENERAL = "general-purpose"
"""The subagent that the CLI starts if none is named."""
_LETTERS, _LONG = re.compile(r"-([A-Za-z]\w*)"), re.compile(r"--\w")
_GIT = re.compile(r"(?<![\w.-])(git)-(?=[a-z-]+(?![\w.]))", re.IGNORECASE)
"""Before a command of git's that is called by its own name: `git-push`."""

_ENDS = r"(?![\w-]|\.(?!(?:sh|bash|zsh|exe|cmd|bat|com|ps1|py|js|mjs|ts|rb|pl)\b)\w)"
"""Behind a name that may be a program: `rm.txt` is none, but `rm.exe` and `rm.sh` may be."""
_NAME = re.compile(r"\w[\w./-]*")
_OTHERS = {
    "commit": "-a -m -q -s --quiet --signoff",
    "push": "-q -u -v --porcelain --progress --quiet --set-upstream --verbose",
    "reset": "-q --mixed --quiet --soft",
}
"""By a command of git's: options that are none of those which somebody forbids, unless they begin like them."""
_EXPANDS = re.compile(r"[$`*?\[{]")
_TAKE_SHORT_NAMES = frozenset({"gradle", "gradlew"})
"""Programs that know a task by the beginnings of the words in its name: `pub`, or `pTML` for `publishToMavenLocal`."""


def is_about(rule: ToolRule, call: Call, roots: Roots, limits: Limits, *, only_reads: bool) -> bool | None:
    """Whether a rule forbids a call; None if that cannot be told. Paths in the rule begin at `roots`.

    A rule for Read is about whatever reads files, one for Edit about whatever changes them, and one for Bash about
    every shell. `only_reads` says that a command is known to change nothing; `limits` are those of all rules together.
    """
    is_of_shell, is_edit = call.tool in SHELLS, rule.name in EDIT_TOOLS
    if rule.rule is not None and (is_edit or rule.name == "Read"):
        if is_of_shell and is_edit and only_reads:
            return False
        is_known = is_understood(call.tool, call.arguments)
        is_reached = is_of_shell or not is_known or _is_of(rule.name, call.tool)
        return _is_about_files(rule.rule, call, roots, limits, only_reading=not is_edit) if is_reached else False
    if rule.rule is None and is_of_shell and (is_edit or rule.name == "Read"):
        return False if is_edit and only_reads else None
    if not _is_of(rule.name, call.tool):
        return False
    if rule.rule is None:
        return True
    if is_of_shell:
        found = _is_about_command(rule.rule, call)
        # What only reads runs no other program than those that it calls, whatever it speaks of.
        return False if found is None and only_reads and not _calls_program(rule.rule, call) else found
    if call.tool in LOOKING_TOOLS:
        return _is_about_files(rule.rule, call, roots, limits, only_reading=True)
    return _is_about_host(rule.rule, call) if call.tool == "WebFetch" else _is_about_names(rule.rule, call)


def is_named(rule: ToolRule, call: Call) -> bool:
    """Whether the words of a rule for commands stand in one, wherever that is, and whatever they mean there."""
    if call.tool not in SHELLS or rule.rule is None or rule.name not in SHELLS or not own_words(rule.rule):
        return False
    own, text = own_words(_GIT.sub(r"\1 ", rule.rule, count=1)), _in_any_spelling(call.command)
    is_made = _EXPANDS.search(call.command) is not None and _has_words(own[:1], text, ())  # of which any word may come
    return is_made or _has_words(own, text, text.split()) or may_be_spelled(own, text)


def _has_words(own: Sequence[str], text: str, words: Sequence[str]) -> bool:
    """Whether a text has the program of a rule, and its first word or the letters of its first option."""
    second = _shortened if name_of(own[0]) in _TAKE_SHORT_NAMES else re.escape
    said = [rf"(?i:{re.escape(own[0])})[\d.]*", *map(second, own[1:2])]  # `pip3.11` is `pip`
    has_program, *rest = (re.search(rf"(?:(?<![\w-])|(?<=-\w)){word}{_ENDS}", text) is not None for word in said)
    return has_program and (all(rest) or _has_letters(own[1], words))


def _in_any_spelling(command: str) -> str:
    """A command, it without quotes, and it with each command of git's as git takes it."""
    plainly = "\n".join(without_quotes(command))
    return "\n".join((command, plainly, _GIT.sub(r"\1 ", plainly)))


def _is_about_files(said: str, call: Call, roots: Roots, limits: Limits, *, only_reading: bool) -> bool | None:
    """As `is_about_files`. A path that begins with one slash is below the base, but many mean the root."""
    sayings = (said, f"/{said}") if said.startswith("/") and not is_absolute(said) else (said,)
    ways = [way for saying in sayings for way in roots.ways_of(saying)]
    besides = calls_besides(call)
    found = (
        is_about_files(saying, one, begin, limits, only_reading=only_reading)
        for (saying, begin), one in product(ways, (call, *(besides or ())))
    )
    return _any((*found, None if besides is None else False))


def _is_of(named: str, called: str) -> bool:
    is_same = is_same_tool(_of_server(named), _of_server(called)) if named.startswith("mcp__") else False
    return is_same or is_same_tool(named, called) or called in _FAMILIES.get(named, ())


def _of_server(name: str) -> str:
    """The name of a server's tool as it is called: the API has fewer characters for one than the server may have."""
    return re.sub(r"[^a-z0-9_*-]", "_", name.casefold())


def _is_about_host(said: str, call: Call) -> bool | None:
    """By the domain that it names, or one below; a star stands for anything."""
    host, domain = domain_of(host_of(call.arguments)), domain_of(said.removeprefix("domain:").removeprefix("*.")) or "*"
    return matches(f"*.{domain}", [f".{host}"]) if host else None


def _is_about_names(said: str, call: Call) -> bool | None:
    """By one of the names in a rule: `Explore, Plan`. Behind that of a skill may stand what it is told."""
    names = [name.strip() for name in said.split(",")]
    found = _any(_is_about_name(name, call) for name in names)
    if found is not False or call.tool != "Skill":
        return found
    told = (words[0] for words in map(str.split, names) if len(words) > 1)
    return None if any(_is_about_name(name, call) for name in told) else False


def _is_about_name(said: str, call: Call) -> bool | None:
    """By the subagent or the skill that it names, which the CLI does not take to the letter."""
    name = "subagent_type" if call.tool in SUBAGENT_TOOLS else "skill"
    given = call.arguments.get(name)
    if given is None and call.tool in SUBAGENT_TOOLS:
        given = _GENERAL
    if call.tool not in SUBAGENT_TOOLS and call.tool != "Skill":
        return None
    if not isinstance(given, str) or not given.strip():
        return None
    if call.tool != "Skill" or is_called(given, said):
        return is_called(given, said)
    names = names_of_skill(given, call.here)
    return None if names is None else any(is_called(name, said) for name in names)


def _is_about_command(rule: str, call: Call) -> bool | None:
    if call.command.strip() == rule.strip():
        return True
    words = plain_words(rule) or []
    sayings = [rule, *(words if len(words) == 1 else ())]  # of `"git push"` many leave the quotes out
    found = _any(_is_about_as_written(saying, call) for saying in dict.fromkeys(sayings))
    if found is not False:
        return found
    by_aliases = calls_by_aliases(call)
    return None if by_aliases is None else _any(_is_about_as_written(rule, one) for one in by_aliases)


def _is_about_as_written(rule: str, call: Call) -> bool | None:
    calls, inner = all_commands(call.command), inner_of(call.command)
    found = None if calls is None else _any(_is_about_words(rule, words) for words in calls)
    if found is not False:
        return found
    is_unknown = not inner.is_known or not inner.is_read or _names_program(rule, call)
    return None if is_unknown or any(_is_about_words(rule, words) is not False for words in inner.calls) else False


def _calls_program(rule: str, call: Call) -> bool:
    """Whether a command that can be read calls the program of a rule, or whether the rule is about any."""
    programs = {unwrapped([word.text for word in words])[0] for words in all_commands(call.command) or ()}
    own = own_words(_GIT.sub(r"\1 ", rule, count=1))
    return not own or "/" in own[0] or name_of(own[0]) in programs


def _names_program(rule: str, call: Call) -> bool:
    """Whether a command names the file of the rule, by whatever name: a shell may run it."""
    own = own_words(rule)
    if not own or "/" not in own[0]:
        return False
    files = {place for here in folders_of(call) for place in real_paths(own[0], here)}
    named = words_within(call.command)
    return len(named) > MOST_WORDS or any(not files.isdisjoint(real_paths(word, call.here)) for word in named)


def _is_about_words(rule: str, words: Words) -> bool | None:
    """By its words, also behind `env` and their like, and by git's command whatever stands before that."""
    texts = [word.text for word in words]
    plain = without_git_options(unwrapped(texts))[0]
    rule = _GIT.sub(r"\1 ", rule, count=1) if _GIT.match(rule) else rule
    if any(matches(rule, same) for some in (texts, plain) for same in (some, *spellings(some))):
        return True
    own = own_words(rule)
    if not own:
        return False if all(word.is_exact for word in words) else None
    if all(word.is_one_word for word in words) and _is_without_option(own, texts):
        return False
    # A pattern may stand for any word, and whoever runs another program may run this one.
    text = _in_any_spelling(" ".join(texts))
    is_meant = _has_words(own, text, texts) or may_be_spelled(own, text) or may_become(own, texts)
    return None if is_meant or not all(word.is_exact for word in words[: len(own) + 1]) else False


def _shortened(name: str) -> str:
    """A name by some of its letters in their order, the first among them; each is taken at its first place."""
    return "".join(f"(?i:{re.escape(letter)}){'?+' if at else ''}" for at, letter in enumerate(name))


def _is_without_option(own: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a call of git's, for which a rule is about an option (`git push --force`), has nothing that may come to
    the same: no option but those that are known to be others, and no operand but plain names (`+main` forces, too).
    """
    option = next((word for word in own[2:] if word.startswith("-")), "")
    if own[0] != "git" or own[1:2] != texts[1:2] or texts[0] != "git" or not option or own[1].startswith("-"):
        return False
    letters = {option[2:3].casefold()} if option.startswith("--") else {*option[1:].casefold()}
    others = {word for word in _OTHERS.get(own[1], "").split() if word.lstrip("-")[0] not in letters}
    return all(
        _NAME.fullmatch(word) or word in others or (before == "-m" and before in others and not word.startswith("-"))
        for before, word in pairwise(texts[1:])
    )


def _has_letters(option: str, texts: Sequence[str]) -> bool:
    """Whether a call has the letters of this option in any of its own, or long ones that begin so: `-fr` is `-rf`."""
    if not _LETTERS.fullmatch(option):
        return False
    # Behind its letters a value may stand: `-i.bak`, `-d@file`.
    given = {letter for text in texts if (found := _LETTERS.match(text)) for letter in found[1].casefold()}
    given |= {text[2].casefold() for text in texts if _LONG.match(text)}
    return {*option[1:].casefold()} <= given


def _any(found: Iterable[bool | None]) -> bool | None:
    told = [*found]
    return True if True in told else None if None in told else False

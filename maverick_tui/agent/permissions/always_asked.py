"""Calls that ask each time, whatever the rules and a person have allowed: by the places that they name or search."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from maverick_tui.agent.permissions.clearing import cleared_by_variables
from maverick_tui.agent.permissions.copying import put_at, why_copying_asks
from maverick_tui.agent.permissions.following import (
    follows_links,
    looks_into_folders,
    why_checking_asks,
    why_not_to_follow,
)
from maverick_tui.agent.permissions.ignore_files import why_not_to_heed, why_without_end
from maverick_tui.agent.permissions.leading import as_seen_from, is_folder, places_of, real_paths
from maverick_tui.agent.permissions.looking import by_purpose
from maverick_tui.agent.permissions.meanings import Meaning, is_pattern, links_at, meaning_of, perhaps, with_folders
from maverick_tui.agent.permissions.patterns import NUMBER, Limits, could_stand_for
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.reading import (
    folders_searched,
    may_read_below,
    read_below,
    reads_listed,
    searches,
    takes_names,
    without_git_options,
)
from maverick_tui.agent.permissions.rules import commands_in, paths_of, places_within, why_not_clear
from maverick_tui.agent.permissions.running import (
    commands_within,
    sets_git,
    sets_git_by_variables,
    sets_git_within,
    steers_maverick,
)
from maverick_tui.agent.permissions.shell import (
    Words,
    all_commands,
    folders_entered,
    goes_elsewhere,
    inner_of,
    is_rewritten,
    mentions,
    not_too_many,
    with_tails,
    without_document,
)
from maverick_tui.agent.permissions.started import INTERPRETERS, program_name
from maverick_tui.agent.permissions.taken_by_git import why_taking_asks
from maverick_tui.agent.permissions.unpacking import only_tells, writes_by_content
from maverick_tui.agent.permissions.whole_folders import all_changed, why_changing_asks
from maverick_tui.agent.permissions.wrapping import calls_meant
from maverick_tui.agent.permissions.written_out import plain_names, unquoted
from maverick_tui.agent.tools import LOOKING_TOOLS, is_understood

SHELLS = frozenset({"Bash", "Monitor", "PowerShell"})
"""Tools whose argument is a command."""
MOST_WORDS = 300
"""Words of a command that are followed to where they lead."""
SETS_GIT = "It changes the configuration of git, which can make git run programs."
TOO_LONG = "It is too long to be checked."
EXPANDING = ("Skill",)
"""Tools in whose arguments the CLI reads files by itself that stand behind an @ (measured)."""
MENTIONS = "Claude Code reads files that stand behind an @ in it, and asks about none of them."
_MOST_ENTERED = 20
_MOST_BELOW = 20_000
_WAY = re.compile(r"(?![/~$])[^\0]*[/.]")
"""A word that may be the rest of a path, and no ordinary one."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool; `here` is the folder in which its relative paths begin."""

    tool: str
    arguments: Mapping[str, Any]
    here: Path
    aliases: dict[Path, dict[str, str] | None] = field(default_factory=dict, compare=False, repr=False)
    """Those that git has in folders where it may run, as they were when they were first asked for: every rule needs
    them, and by the next call there may be others."""
    by_names: dict[tuple[str, Path], list[Call] | None] = field(default_factory=dict, compare=False, repr=False)
    """What commands in folders become by names of files, likewise."""

    @property
    def command(self) -> str:
        """What a shell is to run."""
        return str(self.arguments.get("command") or "")

    @property
    def paths(self) -> list[str]:
        """The files and folders that are named."""
        return paths_of(self.tool, self.arguments)


def why_always_asked(call: Call, places: Places, *, only_reads: bool = False) -> str:
    """Why the call asks each time, whatever the rules and a person have allowed; nothing if it need not.

    Of a tool that is not Claude Code's own, `only_reads` says that it changes nothing; of such a one each text is
    looked at as one place, and not for what words of it name: most are told what to look for, and not where.
    """
    return first_reason(whys_always_asked(call, places, only_reads=only_reads))


def whys_always_asked(call: Call, places: Places, *, only_reads: bool = False) -> Iterator[str]:
    """All that it asks each time for, where this is `noting`; some may be empty."""
    if call.tool in SHELLS:
        yield from _whys_command_asks(call, places)
        return
    yield why_not_clear(call.tool, call.arguments)
    if call.tool in EXPANDING and any("@" in text for text in call.arguments.values() if isinstance(text, str)):
        yield MENTIONS
    named = call.paths
    if len(named) > MOST_WORDS:
        yield TOO_LONG
        return
    # What a number of these stands for in our process, it need not stand for in the one that opens it.
    yield first_reason(places.why_not_to_open(path, call.here) for path in named)
    if call.tool == "Grep" or (call.tool == "Glob" and named):
        yield first_reason(places.why_not_to_search(path, call.here) for path in named or [""])
        if call.tool == "Grep":  # Glob looks at none of these files
            yield first_reason(why_without_end(path, call.here) for path in named or [""])
        return
    if not is_understood(call.tool, call.arguments):  # what it does with a folder is not known
        values = [_before_signs(path) for path in named]
        if only_reads:  # `/` divides, too, and `//a` is looked for in a page
            values = [value for value in values if value.strip("/.~")]
        yield first_reason(places.why_not_to_hand_over(value, call.here) for value in values)
        for text in commands_in(call.arguments):
            yield from _whys_command_asks(Call("Bash", {"command": text}, call.here), places)
    is_reading = only_reads or call.tool in LOOKING_TOOLS
    if not is_reading:
        yield first_reason(places.why_not_to_edit(path, call.here) for path in named)
        yield places.why_together(named, call.here)
    look = places.why_not_to_read if is_reading else places.why_not_to_write
    for some in (named, [] if only_reads else places_within(call.tool, call.arguments, call.here)):
        if some is None:
            yield TOO_LONG
            return
        few = some if len(some) <= MOST_WORDS else []
        if call.tool in EXPANDING and not few:  # any of them may be read, and most of so many are plain words
            few = [path for path in some if _is_there(path, call.here)]
            yield TOO_LONG if len(few) > MOST_WORDS else ""
        yield first_reason(look(path, call.here) for path in few[:MOST_WORDS])
        yield first_reason(places.why_not_to_name(path) for path in some) if len(some) > MOST_WORDS else ""


def _is_there(path: str, here: Path) -> bool:
    return any(map(os.path.lexists, places_of(path, here)))


def _before_signs(text: str) -> str:
    """The folder that a pattern begins in; any other text as it is."""
    literal = re.split(r"[*?\[{]", text, maxsplit=1)[0]
    return text if literal == text else literal.rpartition("/")[0] or literal


def _whys_command_asks(call: Call, places: Places) -> Iterator[str]:
    """By what it names and where that leads, from wherever it goes, or because it searches where keys are."""
    if is_rewritten(call.command):
        yield "Claude Code makes /dev/null of the NUL in it, and runs another command than this one."
    purpose = by_purpose(call.command)
    call = replace(call, arguments={"command": purpose.command})
    calls, inner = all_commands(call.command) or None, inner_of(call.command)
    plain, is_read = [*(calls or ()), *inner.calls], calls is not None and inner.is_read
    changed, looked_at = mentions(purpose.changing), mentions(purpose.looking)
    if changed is None or looked_at is None:
        yield TOO_LONG
        return
    mentioned, only_looked_at = sorted(changed | looked_at), looked_at - changed
    yield first_reason(places.why_not_to_name(word, is_changed=word not in only_looked_at) for word in mentioned)
    limits = Limits()
    heres, unfollowed = _followed(call, limits)
    yield unfollowed
    named = [word for word in mentioned if any(_may_lead(word, here, places) for here in heres)]
    if len(named) * len(heres) > MOST_WORDS:
        yield TOO_LONG
        return
    for here in heres:
        yield _why_names_ask(plain, named, only_looked_at, here, places, limits, is_read=is_read)
        yield "" if is_read else _why_links_ask(mentioned, here, places)
        yield _why_names_below_ask(named, mentioned, here, places)
    unread = [without_document(call.command)] if calls is None else inner.texts
    if sets_git_by_variables(call.command):
        yield SETS_GIT
    yield _why_running_asks(plain, unread)
    run, entered = list[list[str]](), set[str]()
    for words in plain:
        for meant in calls_meant([word.text for word in words]) or ():
            texts, named_by_git = without_git_options(meant)
            run.append(texts)
            entered.update(filter(None, named_by_git))
    folders, within = {*entered}, _run_within(unread)
    if (not is_read and may_read_below(mentioned)) or any(map(takes_names, run)):  # who reads what is not known
        folders.update((*named, ".") if len(heres) > 1 else named)
    put, taken, fitting, possible = Limits(), Limits(), Limits(), [*run, *within]
    possible += cleared_by_variables(unquoted(plain_names(call.command)))
    for here in heres:
        meaning = meaning_of(plain, here, None if is_read else fitting)
        yield why_copying_asks(possible, here, meaning, places, put)
        yield why_changing_asks(possible, here, meaning, places, is_read=is_read)
        written, perhaps_run = [*with_folders(run, here, meaning)], [*_looking_within(within, here, meaning)]
        yield why_taking_asks([*written, *within], [here, *_folders_at(entered, here)], places, taken)
        yield why_checking_asks([*written, *within, *perhaps_run], here, places)
        yield _why_searching_asks(written, perhaps_run, folders, here, places, limits)
    yield TOO_LONG if fitting.are_reached else ""


def _why_running_asks(plain: Sequence[Words], unread: Sequence[str]) -> str:
    """Why what a command runs asks. What it gives to a program may be commands for that one, and a text that cannot be
    read is taken for all that it may be.
    """
    said = [[word.text for word in words] for words in plain]
    more = [texts for words, texts in zip(plain, said, strict=True) if not _is_telling(words)]
    written = (unquoted(plain_names(text)) for text in unread)
    given = [*(" ".join(texts) for texts in more if texts[0] != "git"), *unread, *written]
    if any(map(sets_git, said)) or any(map(sets_git_within, given)):
        return SETS_GIT
    if any(map(steers_maverick, given)):
        return "It has Maverick itself do something: make rules, trust files, change settings, or start agents."
    within = (words for text in given for words in commands_within(text))
    meant = [*map(calls_meant, more), *(calls_meant(words, is_text=True) for words in within)]
    if None in meant:
        return TOO_LONG
    calls = [without_git_options(words)[0] for some in meant for words in some or ()]
    if any(map(writes_by_content, calls)):
        return "It writes what stands in another file, and where to is not known."
    return "It reads files that none of its words names." if any(map(reads_listed, calls)) else ""


def _is_telling(words: Words) -> bool:
    """Whether a call only tells what is in an archive or a patch: by words that are certain, and with no program before
    it that might add others.
    """
    return all(word.is_one_word for word in words) and only_tells(without_git_options([one.text for one in words])[0])


def _run_within(texts: Sequence[str]) -> list[list[str]]:
    """The calls that may be in texts which cannot be read, as they stand and written out."""
    written = (unquoted(plain_names(text)) for text in texts)
    within = (words for text in dict.fromkeys((*texts, *written)) for words in commands_within(text))
    meant = (call for words in within for call in calls_meant(words, is_text=True) or ())
    # Of a long text many are the same, and each is followed to all that it may reach.
    return [[*words] for words in dict.fromkeys(tuple(without_git_options(words)[0]) for words in meant)]


def _looking_within(calls: Iterable[Sequence[str]], here: Path, meaning: Meaning) -> Iterator[list[str]]:
    """Of calls that may be in a text, those that look into folders. A star in other prose is no pattern."""
    looking = (words for words in calls if words[0] != "git" and looks_into_folders(words))
    return with_folders(looking, here, meaning)


def _folders_at(named: Iterable[str], here: Path) -> list[Path]:
    """The folders that these words name from here."""
    return sorted(filter(os.path.isdir, {place for word in named for place in real_paths(word, here)}))


def named_to_change(call: Call, places: Places) -> list[str] | None:
    """The places that a command names and may change: all but the programs that it runs. None if there are too many."""
    calls = all_commands(call.command)
    rest = call.command if calls is None else "\n".join(shlex.join(_arguments(words)) for words in calls)
    heres, words = folders_of(call), mentions(rest)
    if words is None:
        return None
    leading = ((here, word) for here in heres for word in sorted(words) if _may_lead(word, here, places))
    found = [place for here, word in leading for place in as_seen_from(word, here)]
    return found if len(found) <= MOST_WORDS else None


def put_by(call: Call) -> list[str | Path] | None:
    """Where a command puts something without naming it; a `Path` is without links. None if it is too much."""
    return _of_each_folder(call, put_at)


def changed_by(call: Call) -> list[str | Path] | None:
    """The same, and what a command changes with a folder."""
    put, changed = put_by(call), _of_each_folder(call, all_changed)
    return None if put is None or changed is None else [*put, *changed]


def _of_each_folder(
    call: Call,
    look: Callable[[Sequence[Sequence[str]], Path, Callable[[str], Iterable[str]]], list[str | Path] | None],
) -> list[str | Path] | None:
    plain = all_commands(call.command) or []
    meant = (call for words in plain for call in calls_meant([word.text for word in words]) or ())
    run = [without_git_options(words)[0] for words in meant]
    found = [look(run, here, meaning_of(plain, here)) for here in folders_of(call)]
    return None if None in found else [place for some in found for place in some or ()]


def _arguments(words: Words) -> list[str]:
    """A call without what it runs: a program that is named by its path, and the script of an interpreter."""
    program, *rest = (word.text for word in words)
    if program_name(program) in INTERPRETERS and not "".join(rest[:1]).startswith("-"):
        rest = rest[1:]
    is_staged = program == "git" and rest[:1] in (["add"], ["stage"], ["commit"])  # they change no file of the work
    return ["true"] if is_staged else ["true" if "/" in program else program, *rest]


def _why_names_ask(
    plain: Sequence[Words],
    named: Sequence[str],
    only_looked_at: Collection[str],
    here: Path,
    places: Places,
    limits: Limits,
    *,
    is_read: bool,
) -> str:
    """Why what a command names from this folder is not for it to name; what patterns stand for is named as well."""
    looked_at = [word for word in named if word in only_looked_at]
    changed = [word for word in named if word not in only_looked_at]
    expanding = (word.text for words in plain for word in words if word.may_expand or not word.is_exact)
    for pattern in dict.fromkeys(expanding):
        fitting = could_stand_for(pattern, here, limits)
        if fitting is None:
            return TOO_LONG if limits.are_reached else unknown_files(pattern)
        (looked_at if pattern in only_looked_at else changed).extend(fitting)
    if not is_read:  # there, many a sign of a pattern is none
        for pattern in filter(is_pattern, named):
            fitting = perhaps(pattern, here, limits)
            if limits.are_reached:
                return TOO_LONG
            if fitting is None and _begins_at_places(pattern, here, places):
                return unknown_files(pattern)
            (looked_at if pattern in only_looked_at else changed).extend(fitting or ())
    return (
        first_reason(places.why_not_to_write(word, here) for word in dict.fromkeys(changed))
        or first_reason(places.why_not_to_read(word, here) for word in dict.fromkeys(looked_at))
        or places.why_together(changed[:MOST_WORDS], here)
    )


def _why_links_ask(mentioned: Iterable[str], here: Path, places: Places) -> str:
    """Why what a command names by a pattern, if it is one, is not for it to name: a link leads there."""
    return first_reason(places.why_not_to_write(link, here) for link in links_at(mentioned, here))


def _why_names_below_ask(named: Iterable[str], mentioned: Iterable[str], here: Path, places: Places) -> str:
    """Why a word asks below a folder that another word names: `jq -L ~ -n 'import ".docker/config" as $x; $x'`."""
    reached = {place for word in named if is_folder(word, here) for place in real_paths(word, here)}
    folders = [place for place in reached if places.leads_to_settings(place)]
    ways = [word for word in mentioned if _WAY.match(word)] if folders else []
    if len(folders) * len(ways) > _MOST_BELOW:
        return TOO_LONG
    below = {Path(os.path.normpath(folder / way)) for folder in folders for way in ways}
    return first_reason(map(places.why_not_to_add, sorted(below)))


def _why_searching_asks(
    calls: Sequence[Sequence[str]],
    within: Sequence[Sequence[str]],
    folders: Iterable[str],
    here: Path,
    places: Places,
    limits: Limits,
) -> str:
    """Why all below these folders, and below those that the calls read, is not to be read from this folder. Those
    `within` texts may be calls.
    """
    reading = [*calls, *within]
    read = {word for texts in reading for word in read_below(texts)}
    ends = not_too_many(end for word in read for end in with_tails(word))
    if ends is None:
        return TOO_LONG
    parts = {part for part in (*ends, *(word.rpartition("=")[2] for word in read)) if part}
    handed_on = {word for texts in calls for word in texts[1:]} if any(map(takes_names, calls)) else set[str]()
    below = (path for path in sorted({*parts, *folders, *handed_on}) if is_folder(path, here))
    if reason := first_reason(why_not_to_search([""], path, here, places, limits) for path in below):
        return reason
    # Whether a call heeds what it finds there, its first two words say.
    searched = dict.fromkeys(
        (*texts[:2], path) for texts in calls if searches(texts) for path in folders_searched(texts)
    )
    if reason := first_reason(why_not_to_search(one[:-1], one[-1], here, places, limits) for one in searched):
        return reason
    following = [texts for texts in reading if follows_links(texts)]
    named = {path for texts in following if searches(texts) for path in folders_searched(texts)}
    named |= {end for texts in following for word in read_below(texts) for end in (word, word.rpartition("=")[2])}
    followed = (path for path in sorted(named) if path and is_folder(path, here))
    return first_reason(why_not_to_follow(path, here, places, limits) for path in followed)


def _begins_at_places(pattern: str, here: Path, places: Places) -> bool:
    """Whether a pattern may lead to places that ask, by what stands before its first sign."""
    start = re.split(rf"[*?\[{NUMBER}]", pattern, maxsplit=1)[0]
    folder, _, name = start.rpartition("/")
    return name.startswith(".") or not places.is_inside(folder or ("/" if start.startswith("/") else "."), here)


def folders_of(call: Call) -> list[Path]:
    """The folders that a command may be in by the time at which it names something; the first is where it begins."""
    return _followed(call, Limits())[0]


def _followed(call: Call, limits: Limits) -> tuple[list[Path], str]:
    """The folders that a command may be in, and why it is not known whether these are all."""
    found = [call.here]
    entered = folders_entered(call.command)
    for word in entered:
        words = [(here, [word]) for here in found[:_MOST_ENTERED]]
        if is_pattern(word):
            fitting = [(here, perhaps(word, here, limits)) for here, _ in words]
            if any(names is None for _, names in fitting):
                return found, TOO_LONG if limits.are_reached else unknown_files(word)
            words = [(here, names or []) for here, names in fitting]
        new = (folder for here, names in words for name in names for folder in real_paths(name, here))
        found = [*dict.fromkeys((*found, *filter(os.path.isdir, new)))]
    is_elsewhere = bool(entered) and goes_elsewhere(call.command)
    return found, "It says where else cd looks for folders, so that nobody knows where it goes." if is_elsewhere else ""


def _may_lead(word: str, here: Path, places: Places) -> bool:
    """Whether a word names something, or could: an ordinary word that is no file leads nowhere."""
    is_path = any(sign in word for sign in "/.~@\\")
    is_there = is_path or os.path.lexists(os.path.join(here, word.replace("\0", "")))  # noqa: PTH118
    # In a folder that it goes to, a word may be the second half of a place: `.config` and `systemd`.
    return (
        is_there
        or places.is_known(word, here)
        or (here != places.cwd and places.why_not_to_name(f"{here}/{word}") != "")
    )


def first_reason(reasons: Iterable[str]) -> str:
    """The first of them that is not empty; empty if all are."""
    return next(filter(None, reasons), "")


def why_not_to_search(words: Sequence[str], path: str, here: Path, places: Places, limits: Limits) -> str:
    """Why a call that searches below this path asks; nothing if it need not."""
    is_looked_through = words[0] == "rg" or not places.is_inside(path, here)
    if is_looked_through and not limits.spend(searches=1):
        return TOO_LONG
    return places.why_not_to_search(path, here) or why_not_to_heed(words, path, here, places)


def unknown_files(pattern: str) -> str:
    """The reason where nobody can say what a pattern stands for."""
    return f"{pattern} stands for files that are not known."

"""Which calls a rule about files forbids: those that name one, that may stand for one, or that search where one is."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise, product
from pathlib import Path

from maverick_tui.agent.permissions.always_asked import SHELLS, Call, folders_of, put_by
from maverick_tui.agent.permissions.following import checked_folders, follows_links, led_to_from
from maverick_tui.agent.permissions.leading import is_folder, real_paths, ways_to
from maverick_tui.agent.permissions.meanings import with_folders
from maverick_tui.agent.permissions.named_paths import fitting, in_folders, may_fit, said_of
from maverick_tui.agent.permissions.patterns import Limits, could_stand_for
from maverick_tui.agent.permissions.quoting import without_quotes
from maverick_tui.agent.permissions.reading import (
    folders_searched,
    may_read_below,
    only_reads,
    read_below,
    searches,
    takes_names,
    without_git_options,
)
from maverick_tui.agent.permissions.roots import Roots
from maverick_tui.agent.permissions.rules import places_within
from maverick_tui.agent.permissions.shell import (
    Words,
    all_commands,
    inner_of,
    not_too_many,
    one_command,
    parts_of,
    words_within,
)
from maverick_tui.agent.permissions.wrapping import calls_meant
from maverick_tui.agent.permissions.written_out import by_archivers, by_editors
from maverick_tui.agent.tools import is_understood
from maverick_tui.executor.files.globs import BadPatternError, matcher
from maverick_tui.git.repository import find_repository

_EXPANDS = re.compile(r"[$`*?\[{~\\]|<\(|>\(")
"""What a shell puts something else in place of."""
_RUN_TEXTS = frozenset("sh bash dash zsh ksh fish eval source . su script watch flock ssh".split())
"""Programs that take a text for commands: what is a pattern in it is one for them."""
_ONLY_NAMES = frozenset("ls cd pushd popd mkdir rmdir tree du stat test [ basename dirname realpath pwd find".split())
"""Programs that tell of a folder what is in it, and not what is in its files."""
_MOST_FOUND = 200
"""Files that fit a rule which are looked for in what is searched."""
_SILENT = frozenset(
    "add am apply branch check-attr check-ignore checkout cherry-pick clean commit config count-objects describe"
    " fetch fsck gc help init for-each-ref hash-object ls-files ls-remote ls-tree merge merge-base mv name-rev"
    " prune pull push rebase remote reset restore rev-list rev-parse revert rm shortlog show-ref status"
    " submodule switch symbolic-ref tag update-index var verify-commit version write-tree".split()
)
"""Commands of git that show nothing of what is, or was, in files; unless an option makes them."""
_SHOWING = {
    "add": "-e -i -p -U --edit --interactive --patch --unified --inter-hunk-context",
    "am": "-i --interactive --show-current-patch",
    "checkout": "-p -U --patch --unified --inter-hunk-context",
    "fsck": "--lost-found",
    "commit": "-p -v -U --patch --interactive --verbose --unified --inter-hunk-context",
    "config": "--blob",
    "rebase": "-x --exec --show-current-patch",
    "reset": "-p -U --patch --unified --inter-hunk-context",
    "restore": "-p -U --patch --unified --inter-hunk-context",
    "status": "-v --verbose",
    "update-index": "--cacheinfo --index-info",
}
"""The options that make them, or that give a file another name."""
_MERGING = frozenset("cherry-pick merge pull rebase revert".split())
"""Of these those that put all that they bring below another folder, or above it, if a strategy says so."""
_SUBMODULES = frozenset("absorbgitdirs add deinit init set-branch set-url status sync update".split())
"""Of the commands of `submodule` those that show nothing: `foreach` runs whatever it is told."""
_CHANGING = frozenset(
    "am apply bisect checkout checkout-index cherry-pick clean filter-branch merge mv pull read-tree rebase reset"
    " restore revert rm sparse-checkout stash submodule switch worktree".split()
)
"""Commands of git that change files of the working tree."""
_CHANGING_BY_NAME = frozenset("am apply clean mv restore rm".split())
"""Those that bring no other commit's files, unless one is named as the source."""
_SOURCE = re.compile(r"-[^-]*s|--so")
_BEGINS_BRANCH = {"checkout": ("-b", "-B"), "switch": ("-c", "-C", "--create", "--force-create")}
"""Those that change nothing where all they are told is the name of a branch that begins here."""
_RESETS_FILES = re.compile(r"--(?:h|me|k)")
_PLAIN_SEARCH = re.compile(r"-[inlwcohHEFPv]+")
"""Options of a search that take no value: what stands behind is the pattern."""
_PLAIN_DIFF = re.compile(
    r"-[bpuwWazRMC]|-U\d+|--(?:stat|shortstat|numstat|name-only|name-status|summary|cached|staged|patch|word-diff|check|raw"
    r"|no-color|color|color-words|no-renames|find-renames|ignore-all-space|ignore-space-change|ignore-blank-lines|unified"
    r"|function-context|diff-filter|no-prefix|minimal|patience|histogram|text|exit-code|quiet|no-ext-diff|no-textconv"
    r"|relative|submodule|compact-summary)(?:=.*)?"
)
"""Options of `diff` that name no commits: `--tags` does."""
_TAKING = frozenset("archive clone fetch pull remote submodule subtree".split())
"""Commands of git that take what is in another repository, be it that of a folder."""
_SUMMARIES = frozenset("log reflog show diff diff-files diff-index diff-tree whatchanged".split())
"""Commands that can tell of files without showing what is in them."""
_SUMMARY = re.compile(
    r"--(?:stat|shortstat|numstat|name-only|name-status|quiet|no-patch|summary|dirstat|compact-summary)(?:=.*)?|-s"
)
_BESIDE_SUMMARY = re.compile(
    r"-[zMCwbrt]|-n?\d*|--(?:cached|staged|no-color|color|no-ext-diff|no-textconv|find-renames|no-renames|root|relative"
    r"|diff-filter|merge-base|oneline|graph|all|decorate|no-decorate|reverse|merges|no-merges|first-parent|follow|date"
    r"|abbrev-commit|no-commit-id|format|pretty|since|until|after|before|author|max-count|skip|branches|tags|remotes"
    r"|topo-order)(?:=.*)?"
)
"""Options that make a summary, or a log, show no more."""
_WITH_VALUE = re.compile(r"-n|--(?:since|until|after|before|author|max-count|skip|date|diff-filter)")
"""Those of them whose value may be the next word, whatever that looks like."""
_BESIDE_FILE = frozenset({"-p", "--no-color", "--no-textconv"})
"""Options with which no more is shown than a file as it was in a commit: others add commits to it."""
_LIMITED = frozenset(
    "annotate blame checkout clean diff diff-files diff-index diff-tree log restore rm show whatchanged".split()
)
"""Commands for which what stands behind `--` is all that they look at, or change; to others it is a branch, or more."""
_BARE = re.compile(r"-[pubw]|-n?\d+|--(?:stat|cached|staged|no-color|name-only|name-status|oneline)")
"""Options behind which no value stands, that may look like a file."""
_FILE = re.compile(r"[\w./ +,=-]+")
"""What git takes for a name as it is, and for no pattern."""
_SHOWS_MORE = re.compile(r"--(?:full-d|fol|all|tags|glob|stdin)")
"""Options with which they show more than that: the whole of a commit, other names, or a file that a tag names."""
_RAW = re.compile(r"%\(\*?raw")
"""In a format: all of what a reference names, which may be a file."""
_COMMIT = re.compile(r"(?:HEAD|@|stash@\{\d+\})(?:[~^]\d*)*")
"""What is certainly a commit: others may be the number, or a tag, of a file, of which `show` and `diff` show all."""
_HASH = re.compile(r"(?i)(?:^|[\^=.]|-g|^-s)([0-9a-f]{4,64})(?=$|[~^:@]|\.\.)")
"""Alone, in a range, in what `git describe` tells, or as the value of an option; with a way from there behind it."""
_MOST_HASHES = 30
"""Of which git is asked what they are: files of such names may be as many as anybody likes."""
_BATCH = re.compile(r"--b(?!atch-ch)")
"""Options of `cat-file` that have it show what it is fed, or all objects, and not only how large they are."""
_OF_COMMIT = re.compile(r"[\w./@~^-]+:(?!/)[^:]*")
"""A file as it was in a commit."""


def is_about_files(said: str, call: Call, roots: Roots, limits: Limits, *, only_reading: bool) -> bool | None:
    """Whether a call has to do with a file that a rule names; None if that cannot be told.

    With `only_reading` the rule is about reading, else about changing. `limits` are those of the whole judgement.
    """
    if call.tool in SHELLS:
        return _is_about_command(said, call, roots, limits, only_reading=only_reading)
    if not limits.spend(held=_length(call.paths)):
        return None
    named = any(_is_at(path, said, call.here, roots) for path in call.paths)
    if not is_understood(call.tool, call.arguments):  # what it does with them is not known
        return None if named or _may_name(said, call, roots, limits) else False
    if named or call.tool != "Grep":
        return named
    held = _held(call.paths or ["."], said, call.here, roots, limits)
    return None if held is None or any(_is_searched(path, call) for path in held) else False


def _may_name(said: str, call: Call, roots: Roots, limits: Limits) -> bool:
    """Whether a tool whose arguments are not known may make such a file of its texts, or a pattern that fits one."""
    within = places_within(call.tool, call.arguments, call.here)
    if within is None or not limits.spend(held=_length(within)):
        return True
    patterns = [text for text in (*within, *call.paths) if any(sign in text for sign in "*?[")]
    fitting = [could_stand_for(pattern, call.here, limits) for pattern in patterns]
    if None in fitting:
        return True
    found = (path for paths in fitting for path in paths or ())
    if any(_is_at(path, said, call.here, roots) for path in (*within, *found)):
        return True
    # A text may be a folder for it to look through. A word of one may be that as well, or mean nothing.
    handed, words = ([one for one in some if is_folder(one, call.here)] for some in (call.paths, {*within} - {"/"}))
    held = _held(handed, said, call.here, roots, limits)
    return held is None or bool(held or _held(words, said, call.here, roots, limits))


def _is_searched(path: Path, call: Call) -> bool:
    """Whether a search looks into a file: it may be for others alone. Only plain patterns are read by all alike."""
    chosen = call.arguments.get("glob")
    names = chosen.strip("/").split("/") if isinstance(chosen, str) and re.fullmatch(r"[\w./*-]+", chosen) else [""]
    if not {"", ".", ".."}.isdisjoint(names):
        return True
    # Where a pattern with folders in it begins depends on who searches: any end of the path may be meant.
    ends = ("/".join(path.parts[at:]) for at in range(1, len(path.parts)))
    try:
        return any(map(matcher("/".join(names)), ends))
    except BadPatternError:
        return True


# -- commands ----------------------------------------------------------------------------------------------------------


def _is_about_command(said: str, call: Call, roots: Roots, limits: Limits, *, only_reading: bool) -> bool | None:
    calls, inner, heres = all_commands(call.command), inner_of(call.command), folders_of(call)
    words = _words_of(call.command)
    if words is None or not limits.spend(held=_length(words) * len(heres)):
        return None
    listed = _listed((*(calls or ()), *inner.calls))
    if any(
        _is_at(word, said, here, roots) and not _is_folder(word, here, listed) for word, here in product(words, heres)
    ):
        return True
    if calls is None:
        # Without signs of the shell, all that it names stands in it; but not what is in the folders that it names.
        is_wide = may_read_below(words) or bool(words & {"xargs", "parallel", "git"})
        return None if is_wide or _EXPANDS.search(call.command) else False
    alone = one_command(call.command)  # without filters, which look into no file
    calls = [*(calls if alone is None else [alone]), *inner.calls]
    meant = [calls_meant([word.text for word in words]) for words in calls]
    if None in meant:
        return None
    plain = [without_git_options(words)[0] for some in meant for words in some or ()]
    is_wide = may_read_below(words) or _EXPANDS.search(call.command) is not None
    is_text = not inner.is_read or any(texts[0] in _RUN_TEXTS for texts in plain)
    if any(map(takes_names, plain)) or not inner.is_known or (is_wide and is_text):
        return None
    fitting = _expanded(calls, heres, limits)
    if fitting is None:
        return None
    if any(_is_at(path, said, here, roots) for (_, here), paths in fitting.items() for path in paths):
        return True
    put = [] if only_reading else put_by(call)
    if put is None or not limits.spend(held=_length(map(str, put))):
        return None
    if any(_is_at(str(path), said, call.here, roots) for path in put):
        return None
    is_certain = all(word.is_exact and not word.may_expand for words in calls for word in words)
    for here in heres:
        written = with_folders(plain, here, partial(_meant, fitting, here))
        held = _held_in_all(written, said, here, roots, limits, is_certain=is_certain)
        if held is None or held:
            return None
        if any(
            texts[0] == "git" and _is_shown(texts, said, here, roots, limits, only_reading=only_reading)
            for texts in plain
        ):
            return None
    return False


def _held_in_all(
    calls: Iterable[Sequence[str]], rule: str, here: Path, roots: Roots, limits: Limits, *, is_certain: bool
) -> list[Path] | None:
    """The files that the rule is about in all folders which calls look into; None if it cannot be told."""
    folders = set[str]()
    for texts in calls:
        followed = _followed([*_searched(texts, here, is_certain=is_certain)], texts, here, limits)
        if followed is None:
            return None
        folders.update(followed)
    return _held(folders, rule, here, roots, limits)


@lru_cache(maxsize=8)  # each rule asks for those of the same command
def _words_of(command: str) -> frozenset[str] | None:
    texts = (command, *inner_of(command).texts)
    words = not_too_many(word for text in texts for word in _named(text, all_commands(text)))
    return None if words is None else frozenset(words)


def _named(command: str, calls: Sequence[Words] | None) -> Iterator[str]:
    """All words that may name a file, whether it is there or not: one may be made by that name."""
    texts = [command, *without_quotes(command)] if calls is None else [w.text for words in calls for w in words]
    given = texts if calls is not None else [word for text in texts for word in text.split()]
    for text in (*texts, *by_archivers(given), *by_editors(given)):
        for word in (text, *words_within(text)) if calls is not None else words_within(text):
            yield from parts_of(word)


def _length(paths: Iterable[str]) -> int:
    """How many names are to be held against a rule."""
    return sum(1 + path.count("/") for path in paths)


def _listed(calls: Sequence[Words]) -> set[str]:
    """The words of calls that tell of a folder only what it holds."""
    told = ([word.text for word in words] for words in calls)
    return {text for texts in told if _tells_only_names(texts) for text in texts}


def _tells_only_names(texts: Sequence[str]) -> bool:
    """Whether a call tells what a folder holds, and nothing of what is in its files; `find` may do anything."""
    return texts[0] in _ONLY_NAMES and not any(
        re.match(r"-(?:exec|ok|delete|f?ls$|fprint|files0)", text) for text in texts
    )


def _is_folder(word: str, here: Path, listed: set[str]) -> bool:
    """Whether a word is a folder of which only the names in it are told."""
    return word in listed and os.path.isdir(os.path.join(here, word))  # noqa: PTH112, PTH118


def _expanded(
    calls: Sequence[Words], heres: Sequence[Path], limits: Limits
) -> dict[tuple[str, Path], list[str]] | None:
    """What each pattern of a command may stand for in each folder; None if that cannot be told."""
    found = dict[tuple[str, Path], list[str]]()
    patterns = dict.fromkeys(word.text for words in calls for word in words if word.may_expand or not word.is_exact)
    for pattern, here in product(patterns, heres):
        fitting = could_stand_for(pattern, here, limits)
        if fitting is None:
            return None
        found[pattern, here] = fitting
    return found


def _meant(fitting: Mapping[tuple[str, Path], Sequence[str]], here: Path, word: str) -> Sequence[str]:
    return [word, *fitting.get((word, here), ())]


def _searched(texts: Sequence[str], here: Path, *, is_certain: bool) -> Iterator[str]:
    """The folders in whose files a call may look, or which it takes along as a whole."""
    yield from read_below(texts)
    yield from checked_folders(texts, here)
    if searches(texts):
        yield from folders_searched(texts, is_certain=is_certain)
    if _may_enter(texts):
        named = (text.rpartition("=")[2].removeprefix("file://") for text in dict.fromkeys(texts[1:]))
        # Path.is_dir raises for what cannot be a name.
        yield from (name for name in named if os.path.isdir(os.path.join(here, name)))  # noqa: PTH112, PTH118


def _may_enter(texts: Sequence[str]) -> bool:
    """Whether a call may do something with what is in a folder that it names. `wc -l *` passes folders over."""
    if texts[0] == "git":
        return texts[1:2] == ["mv"] or not _TAKING.isdisjoint(texts[1:2])
    is_of_files = only_reads(texts) and not searches(texts)
    return not is_of_files and not _tells_only_names(texts)


def _followed(folders: list[str], texts: Sequence[str], here: Path, limits: Limits) -> list[str] | None:
    """The folders that a call looks into, and where their links lead if it follows those; None if it is too much."""
    entered = [folder for folder in folders if is_folder(folder, here)] if follows_links(texts) else []
    led = [led_to_from(folder, here, limits) for folder in entered]
    return None if None in led else [*folders, *(place for some in led for place in some or ())]


def _is_shown(texts: Sequence[str], said: str, here: Path, roots: Roots, limits: Limits, *, only_reading: bool) -> bool:
    """Whether git shows, or changes, files that the rule is about, without being told their names."""
    command, *rest = texts[1:] or [""]
    if _tells_no_contents(command, rest) if only_reading else not _changes_files(command, rest):
        return False
    repository = find_repository(here)
    near = roots.near([repository.top], said) if repository is not None else []
    if repository is None or not near:
        return False
    if only_reading and _renames(command, rest):
        return True
    named = [(root, said) for root in near] + roots.behind_links(said)
    within = _limited_to(command, rest, here, repository.top)
    known = roots.known_to_git(repository.top, looks_back=not _is_of_now(command, rest))
    taken = [] if only_reading else roots.taken_by_git(texts[1:], here, limits)
    if known is None or taken is None:
        return True
    found = [Path(path) for root, rule in named for path in fitting(known, rule, root)]
    is_known = any(not within or any(path.is_relative_to(top) for top in within) for path in found)
    if is_known or any(fitting(taken, rule, root) for root, rule in named):
        return True
    top = repository.top
    if not any(said_of(top, rule, root) for root, rule in named):  # no file of it, by whatever name
        return False
    hashes = hashes_in(rest)
    is_too_much = _takes_hashes(command, rest) or len(hashes) > _MOST_HASHES
    if is_too_much or any(roots.may_be_unreached(top, one) for one in hashes):
        return True
    return not _is_of_now(command, rest) and _may_be_called(command, rest, roots.others_known_to_git(top))


def _may_be_called(command: str, rest: Sequence[str], names: Collection[str] | None) -> bool:
    """Whether one of these names may be among the words; also if it is not known which names there are."""
    if not names:
        return names is None
    before = rest[: rest.index("--")] if "--" in rest and command in _LIMITED else rest
    # A pattern may stand for any name, and such options and formats for all.
    is_broad = any(set(word) & set("*?[") or _SHOWS_MORE.match(word) or _RAW.search(word) for word in before)
    return is_broad or any(name.casefold() in word.casefold() for name in names for word in rest)


def _takes_hashes(command: str, rest: Sequence[str]) -> bool:
    """Whether git goes by hashes that none of its words has: it is fed them, or looks for what no name leads to."""
    is_fed = any(word.startswith("--std") for word in rest)
    is_batch = command == "cat-file" and any(_BATCH.match(word) for word in rest)
    return is_fed or is_batch or command == "fsck"


def hashes_in(words: Iterable[str]) -> set[str]:
    """What may be a hash, or the beginning of one: `feed` is none unless there is an object that begins so."""
    return {found.casefold() for word in words for found in _HASH.findall(word)}


def _changes_files(command: str, rest: Sequence[str]) -> bool:
    """Whether git may change files of the working tree."""
    if command == "reset":
        return any(map(_RESETS_FILES.match, rest))
    is_begun = len(rest) == 2 and rest[0] in _BEGINS_BRANCH.get(command, ()) and not rest[1].startswith("-")
    return command in _CHANGING and not is_begun


def _is_of_now(command: str, rest: Sequence[str]) -> bool:
    """Whether git shows, or changes, nothing but what the working tree, the index or the last commit has."""
    options = [word for word in rest if word.startswith("-") and word != "--"]
    words = [word for word in (rest[: rest.index("--")] if "--" in rest else rest) if not word.startswith("-")]
    if command in _CHANGING:
        is_put_aside = command == "stash" and (rest[:1] in ([], ["push"], ["save"]) or rest[0].startswith("-"))
        is_other = command == "restore" and any(map(_SOURCE.match, options))
        return is_put_aside or (command in _CHANGING_BY_NAME and not is_other)
    if command == "grep":
        return len(words) == 1 and all(map(_PLAIN_SEARCH.fullmatch, options))
    is_plain = all(map(_PLAIN_DIFF.fullmatch, options))
    return command in ("diff", "diff-files") and is_plain and {"HEAD", "@"}.issuperset(words)


def _tells_no_contents(command: str, rest: Sequence[str]) -> bool:
    """Whether git is known to show nothing of files: what is not listed as that may."""
    options = [word for word in rest if word.startswith("-") and word != "--"]
    if command in _SILENT:
        is_other = command == "submodule" and not _SUBMODULES.issuperset([word for word in rest if word[:1] != "-"][:1])
        return not (
            is_other or _renames(command, rest) or _asks_to_show(command, options) or any(map(_RAW.search, rest))
        )
    if command == "show" and not _are_commits(rest):
        return False
    is_summary = command in ("log", "reflog") or any(map(_SUMMARY.fullmatch, options))
    known = all(_SUMMARY.fullmatch(word) or _BESIDE_SUMMARY.fullmatch(word) for word in options)
    is_taken = any(_WITH_VALUE.fullmatch(word) and behind.startswith("-") for word, behind in pairwise(rest))
    return not command or (command in _SUMMARIES and is_summary and known and not is_taken)


def _renames(command: str, rest: Sequence[str]) -> bool:
    """Whether git gives other names to all that it brings: `-X subtree=n`, `-s subtree`."""
    return command in _MERGING and any("subtree" in word for word in rest)


def _asks_to_show(command: str, options: Sequence[str]) -> bool:
    """Whether an option makes a command show more; of a long one git takes any beginning."""
    showing = _SHOWING.get(command, "").split()
    letters = {name[1] for name in showing if not name.startswith("--")}
    for option in options:
        if not option.startswith("--"):
            if not letters.isdisjoint(option[1:]):
                return True
        elif any(name.startswith(option.partition("=")[0]) for name in showing):
            return True
    return False


def _are_commits(rest: Sequence[str]) -> bool:
    """Whether all that `show` or `diff` is given before `--` are commits: of a file, either shows all."""
    before = rest[: rest.index("--")] if "--" in rest else rest
    is_more = any(map(_SHOWS_MORE.match, before))
    return not is_more and all(word.startswith("-") or _COMMIT.fullmatch(word) for word in before)


def _limited_to(command: str, rest: Sequence[str], here: Path, top: Path) -> list[Path]:
    """The files and folders that git is to look at alone; empty if it looks at all.

    What stands behind `--` is certain to be one. Before it, a file may have the name of a branch.
    """
    words, options = ([word for word in rest if word.startswith("-") is is_option] for is_option in (False, True))
    if command in ("show", "cat-file") and words and all(map(_OF_COMMIT.fullmatch, words)):
        files = [word.partition(":")[2] for word in words] if _BESIDE_FILE.issuperset(options) else []
        # A commit has its files from the top of the repository on, unless they begin otherwise.
        return [real for path in files for real in real_paths(path, here if path.startswith(("./", "../")) else top)]
    if command not in _LIMITED or any(map(_SHOWS_MORE.match, rest[: rest.index("--")] if "--" in rest else rest)):
        return []
    if "--" not in rest:
        is_only = command == "restore" or (command in ("annotate", "blame") and len(words) == 1)
        is_plain = is_only and all(map(_BARE.fullmatch, options)) and all(map(_FILE.fullmatch, words))
        return [path for word in words for path in real_paths(word, here)] if is_plain else []
    named = rest[rest.index("--") + 1 :]
    if command in ("show", "diff") and not _are_commits(rest):
        return []
    is_plain = not any(word.startswith(":") or set(word) & set("*?[\\") for word in named)  # which git reads itself
    return [path for word in named for path in real_paths(word, here)] if is_plain else []


# -- places ------------------------------------------------------------------------------------------------------------


def _is_at(path: str, rule: str, here: Path, roots: Roots) -> bool:
    """Whether a path may be one of the rule's: by a name, or behind links of either."""
    ways, behind = ways_to(path, here), roots.behind_links(rule)
    return any(may_fit(way, rule, root) for way in ways for root in roots.around(way, rule)) or any(
        may_fit(way, rest, place) for way, (place, rest) in product(ways, behind)
    )


def _held(folders: Iterable[str], rule: str, here: Path, roots: Roots, limits: Limits) -> list[Path] | None:
    """The files in these folders that the rule is about; None if they are so many that it cannot be told."""
    tops = {top for folder in folders for top in real_paths(folder, here)}
    if not tops:
        return []
    places = set[Path]()
    for root, below in product(roots.near(tops, rule), in_folders(rule)):
        names = could_stand_for(below, root, limits, is_perhaps=True)
        found = None if names is None else [path for name in names if may_fit(path := root / name, rule, root)]
        if found is None or len(found) > _MOST_FOUND:
            return None
        places.update(place for path in found for place in ways_to(str(path), here))
    return [place for place in places if not tops.isdisjoint((place, *place.parents))]

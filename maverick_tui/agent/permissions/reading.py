"""Which calls of well-known programs only read: by what they are known to accept, so that nothing unknown gets in.

An option that is not listed here may write a file or run a program (`git diff --output`, `sort -o`, `find -delete`,
`rg --pre`), and so may an abbreviation of one. A call with any of those is not for us to judge; somebody is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from maverick_tui.agent.permissions.filters import searched_alone


@dataclass(frozen=True, slots=True)
class Program:
    """What a program that reads may be called with: letters of short options, names of long ones, and other words."""

    letters: str = ""
    names: frozenset[str] = frozenset()
    attached: str = ""
    """Letters of options whose value, any text, follows at once."""
    language: frozenset[str] = frozenset()
    """Words that are known instead of options, where a program has a language of its own."""
    is_about_text: bool = False
    """Whether the words name no files."""
    is_free: bool = False
    """Whether it only prints, whatever it is given."""
    has_pattern: bool = False
    """Whether the first word that is no option is what to look for, unless an option says that."""
    accepts: Callable[[Sequence[str]], bool] | None = None
    """Whether all words together are fine; without it, any number of files is."""
    never: str = "(?!)"
    """What a word must not be like, though it looks like a file."""

    def only_reads(self, words: Sequence[str]) -> bool:
        """Whether these words, without the program's name, make it read and nothing else.

        A word behind `--` that looks like an option may be either: a file of that name, or an option after all, where
        one before has taken the `--` for its value.
        """
        if self.is_free:
            return True
        if "--" in words and any(map(_is_option, words[words.index("--") :])):
            return False
        is_known = all(self._knows(word) for word in words if _is_option(word) or word in _SIGNS)
        is_known = is_known and not any(re.fullmatch(self.never, word) for word in words)
        return is_known and (self.accepts is None or self.accepts(words))

    def _knows(self, option: str) -> bool:
        if self.language:
            return option in self.language or is_number(option)
        if option.startswith("--"):
            name, _, value = option[2:].partition("=")
            return name in self.names and (self.is_about_text or not _leads_away(value))
        if option in _SIGNS:
            return True
        if option[1] in self.attached:
            return not _leads_away(option[2:])
        return all(letter in self.letters or letter.isdigit() for letter in option[1:])


def only_reads(words: Sequence[str]) -> bool:
    """Whether a plain call is known to change nothing, run nothing and send nothing.

    A program that is named by its path is not known: it may be anybody's.
    """
    program, rest = _program(words)
    return program is not None and program.only_reads(rest)


def files_read(words: Sequence[str]) -> list[str]:
    """The words of a call that may name files which it reads."""
    program, rest = _program(words)
    if program is None or program.is_about_text:
        return []
    operands = [word for word in rest if not _is_option(word) and word != "--"]
    # Not every system looks for options behind the first word that is none: there, they are files.
    operands += [word for word in _from_first_file(rest) if _is_option(word)]
    return operands[1:] if program.has_pattern and not any(map(_gives_pattern, rest)) else operands


def folders_searched(words: Sequence[str], *, is_certain: bool = False) -> list[str]:
    """Where a call may search: what it names, and where it is. Behind an option a word may be its value, unless it
    `is_certain` that none of the words is a pattern, and all options are known.
    """
    if is_certain and (alone := searched_alone(words)):
        return alone
    files = files_read(words)
    return files if files and not any(word.startswith("-") for word in words) else [".", *files]


def takes_many_files(words: Sequence[str]) -> bool:
    """Whether a call that only reads still does so with any number of files where it names one."""
    program, _ = _program(words)
    return program is not None and program.accepts is None and not program.language


def searches(words: Sequence[str]) -> bool:
    """Whether a call reads all files below the folders that it names, or below where it is if it names none."""
    program, _ = _program(words)
    return program is not None and program.has_pattern and words[0] != "sed"


def read_below(words: Sequence[str]) -> Sequence[str]:
    """The words of a call that may name folders of which it reads all files, whatever it does with them."""
    name, *rest = words
    if name == "git":
        return rest if not _GIT_READ_BELOW.isdisjoint(rest) else []
    if name in _COPIERS and not has_target(rest):
        return rest[:-1]  # the last is where it writes to
    finds = _FINDERS.get(name) or _PACKERS.get(name)
    is_bare = name.startswith("7z") and len([word for word in rest if not _is_option(word)]) <= 2  # of an archive alone
    if name in _SEARCHERS or is_bare or (finds is not None and any(map(finds.match, rest))):
        first = next((word for word in rest if word not in ("-H", "-L", "-P")), "-")
        is_told = name in ("find", "bfs") and first[:1] not in "-(!"  # folders stand before all else
        return rest if is_told else [".", *rest]  # where it looks if no folder is named
    is_module = _PYTHON.fullmatch(name) is not None and _PACKING_MODULE.search(" ".join(rest)) is not None
    return rest if name in _COPIERS or name in _READ_BELOW or is_module else []


def has_target(words: Sequence[str]) -> bool:
    """Whether an option of these may name the folder to copy to; else the last word does."""
    return any(word.startswith("--t") or (_is_option(word) and word[1] != "-" and "t" in word) for word in words)


def unwrapped(words: Sequence[str]) -> list[str]:
    """A call without what only starts it and without its program's folder: `env X=1 /bin/grep x` is `grep x`.

    The program is in lower case, which makes no difference to some systems: `RM x` runs `rm`. `git-push` is `git push`.
    """
    at = place_of_program(words)
    program, *command = of_git(words[at])
    return [name_of(program), *command, *words[at + 1 :]]


def place_of_program(words: Sequence[str]) -> int:
    """Which word of a call is its program, behind those that only start it: unless the value of an option is before."""
    at, last = 0, len(words) - 1
    while at < last and (name_of(words[at]) in WRAPPERS or "=" in words[at]):
        at += 1
        while at < last and (words[at].startswith("-") or is_number(words[at].rstrip("smhd"))):
            at += 1
    return at


def name_of(program: str) -> str:
    """What a program is called, wherever it lies."""
    return program.rpartition("/")[2].casefold()


def of_git(program: str) -> list[str]:
    """A program as git would be called for it: its commands are programs by themselves, too. Any other as it is."""
    name = name_of(program)
    return name.split("-", maxsplit=1) if name.startswith("git-") else [program]


def without_git_options(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """A call of git without what stands before its command, and the folders that are named there."""
    if words[0] != "git":
        return [*words], []
    rest, folders = [*words[1:]], list[str]()
    while rest and rest[0].startswith("-"):
        option, is_joined, value = rest.pop(0).partition("=")
        if option in _GIT_VALUED and not is_joined:
            value = rest.pop(0) if rest else ""
        if option in _GIT_FOLDERS:
            folders.append(value)
    return [words[0], *rest], folders


def entered_by_git(words: Sequence[str]) -> tuple[int, str]:
    """How many words between git and its command are harmless: they turn its pager off, or name one folder to go to.
    That folder is told, too.
    """
    rest, folder = [*words[1:]] if words[0] == "git" else [], ""
    length = len(rest)
    while rest:
        if rest[0] == "-C" and not folder and _PLAIN_FOLDER.fullmatch("".join(rest[1:2])):
            folder, rest = rest[1], rest[2:]
        elif rest[0] in GIT_FLAGS:
            rest = rest[1:]
        else:
            break
    return length - len(rest), folder


def takes_names(words: Sequence[str]) -> bool:
    """Whether a call hands what it reads to another program, as the names of files."""
    return words[0] in _TAKE_NAMES


def starts_others(program: str) -> bool:
    """Whether a program starts another one that stands behind it."""
    return program in WRAPPERS or program in _TAKE_NAMES or program in _FINDERS


def may_read_below(names: Iterable[str]) -> bool:
    """Whether one of these words may be a program that reads all files below a folder."""
    return any(name.rpartition("/")[2] in _ANY_READERS for name in names)


def reads_lists(program: str) -> bool:
    """Whether a program can be told to read files that are named in another file."""
    is_listed = program in _READ_LISTED or program in _TAKE_NAMES or program in _JQ
    return is_listed or program in ("cpio", "pax") or program.startswith("7z")


def reads_listed(words: Sequence[str]) -> bool:
    """Whether a call reads files that are named in another file, or in a program in words of its own."""
    name, *rest = words
    if name in _TAKE_NAMES:
        return _takes_from_file(rest)
    if name in ("cpio", "pax") or (name in _JQ and any(map(_IMPORT.search, rest))):
        return True
    if name in _READ_LISTED and any(word.startswith("--fi") for word in rest):  # which may be abbreviated
        return True
    if name.startswith("7z") and any(word.startswith("@") for word in rest):
        return True
    letter = {"tar": "T", "bsdtar": "T", "zip": "@"}.get(name)
    bundles = [*rest[:1], *(word for word in rest if _is_option(word) and word[1] != "-")]
    return letter is not None and any(letter in bundle for bundle in bundles)


def _takes_from_file(words: Sequence[str]) -> bool:
    """Whether what stands before the program that is to be given names says from which file: `-a`, `--arg-file`."""
    if "::::" in words:
        return True
    waiting = iter(words)
    for word in waiting:
        if not _is_option(word) and not is_number(word):
            return False
        valued = OF_XARGS.fullmatch(word)
        if word.startswith("--a") or (valued and valued["letter"] == "a"):
            return True
        if valued and not valued["value"]:
            next(waiting, "")
    return False


def _program(words: Sequence[str]) -> tuple[Program | None, Sequence[str]]:
    name, *rest = words
    if name != "git":
        return _PROGRAMS.get(name), rest
    while rest and rest[0] in GIT_FLAGS:
        rest = rest[1:]
    if not rest or any(_SIGNATURE.search(word) for word in rest):  # signatures are checked by a program
        return None, rest
    if rest[0] in _LIST_REFERENCES and any("signature" in word.lower() for word in rest):  # also `%(*signature:key)`
        return None, rest
    return _GIT.get(rest[0]) or _GIT.get(" ".join(rest[:2])), rest[1:] if rest[0] in _GIT else rest[2:]


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and word != "--"


def _gives_pattern(word: str) -> bool:
    return word.startswith(("--regexp", "--files")) or (_is_option(word) and word[1] != "-" and "e" in word)


def is_number(word: str) -> bool:
    """Whether a word is one, also with a unit."""
    return re.fullmatch(r"[+-]?\d+[bckwMG]?", word) is not None


def _leads_away(value: str) -> bool:
    return (value != "/" and value.startswith(("/", "~"))) or ".." in value.split("/")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _from_first_file(words: Sequence[str]) -> Sequence[str]:
    first = next((index for index, word in enumerate(words) if not _is_option(word)), len(words))
    return words[first:]


def _at_most(number: int) -> Callable[[Sequence[str]], bool]:
    return lambda words: len(_from_first_file(words)) <= number


def _prints_lines(words: Sequence[str]) -> bool:
    """`sed` has a language that writes and runs; only printing lines by their numbers is known of it."""
    lines = words[1] if len(words) > 1 else ""
    return list(words[:1]) == ["-n"] and re.fullmatch(r"(\d+|\$)(,(\+?\d+|\$))?p", lines) is not None


def _looks_at_one(words: Sequence[str]) -> bool:
    return len(words) == 2 and words[0] in _LOOKS and not words[1].startswith("-")


def _are_formats(words: Sequence[str]) -> bool:
    """Whatever else `date` is given is a time to set."""
    return all(word.startswith("+") or _is_option(word) for word in words)


def _lists(*options: str) -> Callable[[Sequence[str]], bool]:
    """`git branch` and `git tag` list if they are told to, and make something of any other word."""
    telling = ("--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", *options)
    # Only as the first word: `--sort` would take it for its value.
    return lambda words: all(map(_is_option, words)) or words[0] in telling


_SIGNATURE = re.compile(r"%[-+ ]?G|\(\*?signature")
_LIST_REFERENCES = frozenset({"for-each-ref", "tag", "branch"})
"""Commands of git's whose formats and orders are made of the fields of what they list."""
_SIGNS = frozenset("!(),")
_COPIERS = frozenset("cp gcp rsync scp mv install".split())
_READ_BELOW = frozenset(
    "tar gtar bsdtar zip 7z 7za 7zr 7zz diff sdiff colordiff delta difft icdiff gzip zstd egrep fgrep zgrep"
    " docker podman rclone aws gsutil ditto pigz xzgrep bzgrep bz2grep zstdgrep lzgrep pcregrep pcre2grep restic borg"
    " s3cmd mc duplicity gitleaks trufflehog".split()
)
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_PACKING_MODULE = re.compile(r"(?<!\S)-\w*m ?(?:zipfile|tarfile|http\.server|zipapp)\b")
"""Modules of Python's that pack a folder, or show it to others."""
_SEARCHERS = frozenset("ag ack ack-grep pt rga rgrep sift ug ugrep".split())
"""Programs that read all files below the folder that they are in, unless others are named."""
_FINDERS = {
    **dict.fromkeys(("find", "bfs"), re.compile("-(?:exec|ok|delete)")),
    **dict.fromkeys(("fd", "fdfind"), re.compile("--exec|-[^-]*[xX]")),
}
"""Programs that find files there, and options by which they do something with them."""
_PACKERS = {
    "zip": re.compile(r"-\w*R|--recurse-p"),
    **dict.fromkeys(("7z", "7za", "7zr", "7zz"), re.compile(r".*[*?]")),
}
"""Programs that pack files, and words by which they may look for them there."""
_ANY_READERS = _COPIERS | _READ_BELOW | _SEARCHERS | {"grep", "rg", "git", "sed", "awk", "xargs", *_FINDERS}
WRAPPERS = frozenset(
    "env command builtin exec nice nohup stdbuf time timeout setsid ionice sudo doas busybox toybox noglob"
    " nocorrect caffeinate chrt coproc fakeroot linux32 linux64 ltrace prlimit strace unbuffer unshare"
    " xvfb-run".split()
)
"""Programs, and words of shells, that start what they are given."""
_TAKE_NAMES = frozenset({"xargs", "parallel"})
OF_XARGS = re.compile(r"-[^-EIJLPRSadjns]*(?P<letter>[EIJLPRSadjns])(?P<value>.*)")
"""Their options that have a value."""
GIT_FLAGS = ("--no-pager", "-P", "--no-optional-locks")
"""Options before a command of git's that change nothing about it."""
_PLAIN_FOLDER = re.compile(r"[\w./][\w./ +-]*")
"""Which means the same to git and to a shell, unlike `~`."""
_GIT_FOLDERS = ("-C", "--work-tree", "--git-dir")
_GIT_VALUED = frozenset({*_GIT_FOLDERS, "-c", "--namespace", "--exec-path", "--config-env", "--super-prefix"})
_GIT_READ_BELOW = frozenset({"diff", "difftool"})
"""Commands of git's that compare folders, too, if one is not in the repository."""
_READ_LISTED = frozenset("sort wc du rsync tar bsdtar".split())
_JQ, _IMPORT = frozenset("jq gojq jaq".split()), re.compile(r"(?:^|[;\n\r])\s*(?:import|include)\s*[\"#@]")
"""They open `x.json` by `import "x" as $x`, where `{search: "folder"}` says; any letter may be written as `\\u0061`."""
_LOOKS = _names("-d -e -f -h -L -r -s -w -x")
_TESTS = _names(
    """-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -maxdepth -mindepth -size -empty
    -mtime -mmin -ctime -cmin -atime -amin -newer -perm -user -group -links -readable -writable -executable -not -a -and
    -o -or -print -print0 -printf -prune -depth -xdev -mount -daystart -true -false -quit -ls ! ( ) ,"""
)

_GREP = _names(
    """after-context before-context context color colour count byte-offset extended-regexp fixed-strings basic-regexp
    perl-regexp files-with-matches files-without-match ignore-case include exclude exclude-dir initial-tab invert-match
    line-number line-regexp max-count no-filename with-filename no-messages null only-matching quiet silent regexp
    recursive text word-regexp"""
)

_RG = _names(
    """after-context before-context context count count-matches column files files-with-matches files-without-match
    fixed-strings glob glob-case-insensitive heading hidden iglob ignore-case invert-match json line-number line-regexp
    max-columns max-count max-depth max-filesize multiline multiline-dotall no-filename no-heading no-ignore
    no-ignore-messages no-ignore-vcs no-line-number no-messages null only-matching pcre2 quiet regexp replace
    case-sensitive smart-case
    sort sortr stats text trim type type-not unrestricted vimgrep with-filename word-regexp color"""
)


_PRINTS = Program(is_about_text=True, is_free=True)

_PROGRAMS: dict[str, Program] = {
    "basename": Program("asz", _names("suffix multiple zero"), is_about_text=True),
    "cat": Program("AbeEnstTuv", _names("number number-nonblank show-all show-ends show-tabs squeeze-blank")),
    "cksum": Program(),
    "cmp": Program("bilns", _names("print-bytes bytes verbose quiet silent")),
    "comm": Program("z", _names("total nocheck-order check-order")),
    "cut": Program(
        "bcfnsz", _names("bytes characters fields delimiter complement only-delimited output-delimiter"), "dfcb"
    ),
    "date": Program("uRI", _names("utc universal iso-8601 rfc-3339 rfc-email"), accepts=_are_formats),
    "dirname": Program("z", _names("zero"), is_about_text=True),
    "du": Program("abchkmsSx", _names("all bytes apparent-size human-readable max-depth summarize total"), "d"),
    "df": Program("ahHiklPT", _names("human-readable total")),
    "echo": _PRINTS,
    "false": _PRINTS,
    "file": Program("bi", _names("brief mime mime-type mime-encoding")),
    "find": Program(language=_TESTS),
    "fold": Program("bsw", _names("bytes spaces width")),
    "grep": Program("aAbBcCeEFGhHiIlLmnoPqrsvwxyzZT", _GREP, has_pattern=True),
    "egrep": Program("aAbBcCehHiIlLmnoqrsvwxyzZT", _GREP, has_pattern=True),
    "fgrep": Program("aAbBcCehHiIlLmnoqrsvwxyzZT", _GREP, has_pattern=True),
    "head": Program("cnqvz", _names("bytes lines quiet silent verbose")),
    "id": Program("gGnru", is_about_text=True),
    "ls": Program(
        "aAbBcCdfFgGhHiIklmnNopqQrRsStuUvwxXZ1",
        _names(
            """all almost-all author color directory file-type classify format full-time group-directories-first
            human-readable inode literal no-group numeric-uid-gid recursive reverse size sort time time-style width"""
        ),
    ),
    "md5sum": Program("bt", _names("tag")),
    "nl": Program("abdfhilnpsvw"),
    "nproc": Program("", _names("all"), accepts=_at_most(0)),
    "pwd": Program("LP", accepts=_at_most(0)),
    "readlink": Program("efmnqsvz"),
    "realpath": Program("emLPqsz", _names("relative-to relative-base")),
    "rev": Program(),
    "rg": Program("ABCcdeFgHIilmNnoPqSsTtUuvwx0", _RG, "tT", has_pattern=True),
    "sed": Program("n", accepts=_prints_lines, has_pattern=True),
    "sha1sum": Program("bt", _names("tag")),
    "sha256sum": Program("bt", _names("tag")),
    "sort": Program(
        "bcCdfghikMnrRstuVz",
        _names(
            """ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort numeric-sort
            reverse stable unique version-sort zero-terminated key field-separator check"""
        ),
        "kt",
    ),
    "stat": Program("cLt", _names("format printf dereference terse")),
    "tac": Program(),
    # Not -f, which never ends, and may go on with whatever comes to stand in the place of the file.
    "tail": Program("cnqvz", _names("bytes lines quiet silent verbose"), never=r"\+\d*[bcl]?f"),  # as `-f` was once
    "tr": Program("cCdst", _names("complement delete squeeze-repeats truncate-set1"), is_about_text=True),
    "test": Program(language=_LOOKS, accepts=_looks_at_one),
    "true": _PRINTS,
    "uname": Program("asnrvmpio", is_about_text=True),
    "uniq": Program("cdDiuz", _names("count repeated unique ignore-case"), "fsw", accepts=_at_most(1)),
    "wc": Program("clmwL", _names("bytes chars lines words max-line-length")),
    "which": Program("a", is_about_text=True),
    "whoami": Program(accepts=_at_most(0)),
}

_LOG = _names(
    """abbrev abbrev-commit after all all-match ancestry-path author author-date-order before binary boundary branches
    cached check cherry cherry-mark cherry-pick color color-moved color-words committer compact-summary cumulative date
    date-order decorate diff-algorithm diff-filter dirstat exit-code extended-regexp find-copies find-copies-harder
    find-renames first-parent fixed-strings follow format full-diff full-history full-index function-context graph grep
    grep-reflog histogram ignore-all-space ignore-blank-lines ignore-cr-at-eol ignore-space-at-eol ignore-space-change
    inter-hunk-context invert-grep left-only left-right line-prefix max-count max-parents merge-base merges min-parents
    minimal name-only name-status no-abbrev-commit no-color no-decorate no-ext-diff no-merges no-notes no-patch
    no-prefix no-renames no-textconv no-walk numstat oneline parents patch patch-with-stat patience perl-regexp
    pickaxe-all pickaxe-regex pretty quiet raw regexp-ignore-case relative relative-date remotes reverse right-only
    shortstat simplify-by-decoration simplify-merges since skip staged stat summary tags text topo-order unified until
    walk-reflogs word-diff word-diff-regex"""
)
_SHOW = Program("abcimpqrstuvwzCDMRUWn", _LOG, "SGLnUM")
_STATUS = _names(
    """short branch porcelain long untracked-files ignored show-stash ahead-behind no-ahead-behind column no-column
    renames no-renames verbose"""
)
_REVISIONS = _names(
    """abbrev-ref absolute-git-dir all branches git-common-dir git-dir is-bare-repository is-inside-git-dir
    is-inside-work-tree is-shallow-repository short show-cdup show-prefix show-toplevel
    symbolic symbolic-full-name verify quiet tags remotes count merge-base max-count"""
)
_LISTED = _names(
    "abbrev all color column contains format ignore-case list merged no-color no-column no-contains"
    " no-merged points-at remotes show-current sort verbose"
)


_GIT: dict[str, Program] = {
    "--version": Program(accepts=_at_most(0)),
    "blame": Program("bceflMnpstwC", _names("abbrev date line-porcelain porcelain root show-email show-name"), "L"),
    "branch": Program("arv", _LISTED, accepts=_lists()),
    "cat-file": Program("epst"),
    "count-objects": Program("vH"),
    "describe": Program(
        "", _names("abbrev all always candidates contains dirty exact-match first-parent long match tags")
    ),
    "diff": _SHOW,
    "diff-files": _SHOW,
    "diff-index": _SHOW,
    "diff-tree": _SHOW,
    "for-each-ref": Program("", _names("contains count format merged no-contains no-merged points-at sort")),
    "grep": Program(
        "aABcCeEFGhHiIlLnopPqvwzW",
        _GREP | _names("cached function-context heading untracked"),
        has_pattern=True,
    ),
    "log": _SHOW,
    "ls-files": Program(
        "cdfikmostuvz",
        _names(
            "cached deleted directory error-unmatch exclude-standard full-name ignored modified others stage unmerged"
        ),
    ),
    "ls-tree": Program("dlrtz", _names("abbrev full-name full-tree long name-only name-status object-only")),
    "merge-base": Program("a", _names("all fork-point independent is-ancestor octopus")),
    "name-rev": Program("", _names("all always name-only no-undefined tags")),
    "remote": Program("v", _names("verbose"), accepts=_at_most(0)),
    "rev-list": Program("n", _LOG | _REVISIONS | _names("objects header"), "n"),
    "rev-parse": Program("q", _REVISIONS),
    "shortlog": Program("ensc", _LOG | _names("numbered summary email")),
    "show": _SHOW,
    "show-ref": Program("dhs", _names("abbrev dereference hash head heads quiet tags verify")),
    "stash list": _SHOW,
    "stash show": _SHOW,
    "status": Program("bsuvz", _STATUS, "u"),
    "tag": Program("lni", _LISTED, "n", accepts=_lists("-l")),
    "version": Program(accepts=_at_most(0)),
    "whatchanged": _SHOW,
    "worktree list": Program("vz", _names("porcelain verbose")),
}

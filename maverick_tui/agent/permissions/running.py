"""Calls that make a program run another one which they name, or make git do so later.

What somebody allows of a subcommand is what that does by itself: `git fetch` is to fetch, and not to run what stands
behind `--upload-pack`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from maverick_tui.agent.permissions.checkers import CHECKERS, Checker
from maverick_tui.agent.permissions.output_files import writes_elsewhere
from maverick_tui.agent.permissions.quoting import without_quotes
from maverick_tui.agent.permissions.reading import name_of, of_git
from maverick_tui.agent.permissions.runner_options import LISTED, has_unknown_options
from maverick_tui.agent.permissions.targets import ALSO_CALLED, names_another_target


@dataclass(frozen=True, slots=True)
class Runner:
    """What makes a program run something else: names of long options, letters of short ones, and other words."""

    options: str = ""
    letters: str = ""
    words: str = ""
    operands: str = ""
    """A regular expression for words that do."""
    harmless: str = ""
    """A regular expression for options that look like those, with their value, which may be the next word."""
    is_for_scripts: bool = False
    """Whether everything behind `--` is for a script of the project."""
    is_all: bool = False
    """Whether what is known of the program as a whole does not hold for this command of it."""

    def runs(self, words: Sequence[str]) -> bool:
        """Whether one of these words makes it."""
        if self.is_for_scripts and "--" in words:
            words = words[: words.index("--")]
        return any(map(self._is_told, self._without_harmless(words)))

    def _without_harmless(self, words: Sequence[str]) -> Iterator[str]:
        known, waiting = re.compile(self.harmless or "(?!)", re.DOTALL), [*words]
        while waiting:
            word, *waiting = waiting
            following = "".join(waiting[:1])
            if not following.startswith("-") and known.fullmatch(f"{word} {following}"):
                waiting = waiting[1:]
            elif not known.fullmatch(word):
                yield word

    def _is_told(self, word: str) -> bool:
        if not word.startswith("-") or word in ("-", "--"):
            return word in self.words.split() or (self.operands != "" and re.search(self.operands, word) is not None)
        name = re.split("[=:.]", word.lstrip("-"), maxsplit=1)[0]
        if self.is_for_scripts:  # npm takes any number of dashes, `_` for one, and `--no-no-x` for `--x`
            name = re.sub("^(no-)+", "", name.lower().replace("_", "-"))
        is_short = not word.startswith("--")
        if is_short and (name in self.options.split() or any(letter in word for letter in self.letters)):
            return True
        # Most programs take the beginning of a name for the name.
        is_abbreviated = not is_short or (self.is_for_scripts and len(name) > 1)
        return is_abbreviated and any(option.startswith(name) for option in self.options.split())


def runs_another(words: Sequence[str], said: int, here: Path) -> bool:
    """Whether a call does more than what a rule says outright, with its first words: `git fetch --upload-pack=x`,
    `make test SHELL=x`, `make test deploy`, `uv run pytest -p x`, `go build -o ../x`. A rule for all of a program with
    subcommands says all that it does.
    """
    # Behind `uv run`, `python -m`, `conda run -n x` and what there may be else, a program is what it is by itself.
    started = [(place, name) for place, word in enumerate(words[:said]) if (name := _known_name(word))]
    calls = [(words, said), *(([name, *words[place + 1 :]], said - place) for place, name in started)]
    return any(_does_more(call, said_of_it, here) for call, said_of_it in calls)


def _does_more(words: Sequence[str], said: int, here: Path) -> bool:
    if any(runner.runs(words[max(said, place) :]) for runner, place in _concerned(words, said)):
        return True
    if _is_told_more(words, said):
        return True
    if said > 1 and (names_another_target(words, said) or writes_elsewhere(words, said, here)):
        return True
    commands = [place for place in _commands_at(words, said) if words[0] == "git" and words[place] in _WITH_REMOTES]
    return any(not _is_remote(words[place + 1 :], here) for place in commands)


def has_arguments_of_its_own(program: str) -> bool:
    """Whether it is known what the words of a program are for, and that they are no program which it starts."""
    return (program in _RUNNERS and program not in _START_OTHERS) or program in LISTED or program in CHECKERS


def names_a_program(words: Sequence[str]) -> bool:
    """Whether a call of a subcommand may name another program for it to run."""
    return _is_told_more(words, 2) or any(runner.runs(words[place:]) for runner, place in _concerned(words, 2))


def _is_told_more(words: Sequence[str], said: int) -> bool:
    return has_unknown_options([ALSO_CALLED.get(words[0], words[0]), *words[1:]], said)


def _known_name(program: str) -> str:
    """By which name something is known of a program, whichever version it is: `pip3.11` is `pip`, `flake8` is itself.
    Empty if nothing is.
    """
    own = name_of(program)
    without_version = own.rstrip("0123456789.").removesuffix("-")
    return next(
        (
            name
            for name in (own, without_version)
            if any(name in one for one in (_RUNNERS, ALSO_CALLED, LISTED, CHECKERS))
        ),
        "",
    )


def _concerned(words: Sequence[str], said: int) -> Iterator[tuple[Runner | Checker, int]]:
    """What is known of the programs and subcommands that a rule names, and where their arguments begin."""
    if checker := CHECKERS.get(name_of(words[0])):
        yield checker, 1
    commands = ((place, _RUNNERS.get(f"{words[0]} {words[place]}")) for place in _commands_at(words, said))
    known = [(runner, place + 1) for place, runner in commands if runner is not None]
    yield from known
    runner = _RUNNERS.get(ALSO_CALLED.get(words[0], words[0])) if said > 1 else None
    if runner is None or any(one.is_all and at == 2 for one, at in known):
        return
    is_handed_on = any(name_of(word) in CHECKERS for word in words[1:said])
    if runner.is_for_scripts or not is_handed_on:  # npm reads on behind what it starts
        yield runner, 2


def _commands_at(words: Sequence[str], said: int) -> range:
    """Which of the words that a rule says may be the subcommand: behind an option, which may have a value, any."""
    is_first = words[1:] and not words[1].startswith("-")
    return range(1, min(said, len(words), 2) if is_first else min(said, len(words)))


def _is_remote(words: Sequence[str], here: Path) -> bool:
    """Whether the repository that git is to talk to is a remote of this one: hooks of any other are not known.

    What stands behind an option that is not known may be its value.
    """
    waiting = iter(words)
    for word in waiting:
        if word in _VALUED:
            next(waiting, "")
            continue
        if word == "--" or word in _FLAGS or (word.startswith("--") and "=" in word):
            continue
        places = (here / word, here / f"{word}.git")
        return re.fullmatch(r"\w[\w.-]*", word) is not None and not any(map(os.path.lexists, places))
    return True


def is_shim(program: str) -> bool:
    """Whether a program may be a stand-in of a version manager, which runs what files of the folder say.

    The shell of an agent may have more on its PATH than we, so usual places count.
    """
    folders = [place for place in os.environ.get("PATH", "").split(os.pathsep) if PurePath(place).name == "shims"]
    folders += map(os.path.expanduser, _SHIMS)
    path = PurePath(program)
    if path.name != program:
        return str(path.parent) in folders
    return any(os.path.lexists(PurePath(folder, program)) for folder in folders)


def sets_git(words: Sequence[str]) -> bool:
    """Whether a call may change what git runs later: some settings name no program, whatever they are set to."""
    if words[0].casefold() != "git":  # some systems find a program by another case of its name
        return False
    if words[1:] and any(sign in words[1] for sign in "*?["):  # which a file of that name makes a subcommand of
        return True
    return any(_sets(words[place:]) for place in _commands_at(words, len(words)) or [1])


def sets_git_within(text: str) -> bool:
    """Whether a text has git change what it does later, if somebody takes it for commands."""
    return any(
        sets_git(words) or (len(words) > _MOST_WORDS and words[1].startswith("-"))
        for _before, words in _calls_within(text, "git")
    )


def sets_git_by_variables(text: str) -> bool:
    """Whether a text gives git settings that are neither its options nor in a file: an alias may be among them, and a
    template has hooks.
    """
    return any(map(_GIVEN_SETTINGS.search, without_quotes(text)))


def steers_maverick(text: str) -> bool:
    """Whether a text has Maverick itself do more than tell something, if somebody takes it for commands: it makes
    rules, trusts files, changes settings, and starts runs that nobody watches.

    A folder may be called so as well: where it is not certain to be a program, one of our commands has to follow. And
    what is committed may be about it.
    """
    called = [
        words
        for before, words in _calls_within(text, "maverick")
        if _is_started(before) or (before[0] != "git" and words[1:2] in _OURS)
    ]
    called += [
        words for before, words in _calls_within(text, "maverick_tui") if before and _AS_MODULE.fullmatch(before[-1])
    ]
    return any(_TELLING_OF_OURS.isdisjoint((" ".join(words[1:2]), " ".join(words[1:3]))) for words in called)


def _calls_within(text: str, program: str) -> Iterator[tuple[list[str], list[str]]]:
    """What may be calls of a program in a text, and the words before each, however they are quoted."""
    for words in _parts_of(text):
        for place, word in enumerate(words):
            if word.rpartition("/")[2].casefold() == program:
                yield words[:place], [program, *words[place + 1 : place + 1 + _MOST_WORDS]]


def commands_within(text: str) -> Iterator[list[str]]:
    """What a text may run, if somebody takes it for commands: all that begins a part of it, or stands behind a word
    that starts what follows.
    """
    left = _MOST_WORDS_IN_ALL
    for words in _parts_of(text):
        for place in range(len(words)):
            before = words[max(0, place - 1) : place]
            if _is_started(before) and before != ["run"]:  # which is for scripts, too
                yield words[place : place + max(left, _MOST_WORDS)]
                left -= len(words) - place


def _parts_of(text: str) -> Iterator[list[str]]:
    """The words of a text between the signs that part commands, without their quotes; `git-push` is `git push`."""
    plain = (_MODULE.sub(r" \1 \2 ", _FUNCTION.sub("", one)) for one in without_quotes(text))
    for part in dict.fromkeys(part for one in plain for part in _PARTS.split(one)):
        if words := [name for word in part.split() for name in of_git(word)]:
            yield words


def _is_started(before: Sequence[str]) -> bool:
    """Whether what stands behind these words of a command, or behind none, is a program that it runs."""
    return not before or before[-1] in _STARTING or "=" in before[-1] or before[-1][:1].isdigit()


def _sets(words: Sequence[str]) -> bool:
    command, *rest = words or [""]
    if command == "config":
        return _configures(rest)
    if command == "clone" and any(re.match(r"-[^-]*c|--c", word) for word in rest):
        return True
    return command in ("clone", "init") and any(word.startswith(("--t", "--se")) for word in rest)


def _configures(words: Sequence[str]) -> bool:
    """By the place of the words: what tells about a setting in one place is a value in another."""
    rest = _behind_scopes(words)
    if not rest or rest[0] in _TELLING:
        return False
    if rest[0] == "set":
        rest = _behind_scopes(rest[1:])
    is_plain = bool(rest) and "." in rest[0] and not any(word.startswith("-") for word in rest)
    return not (is_plain and (len(rest) == 1 or rest[0].lower() in _HARMLESS_SETTINGS))


def _behind_scopes(words: Sequence[str]) -> Sequence[str]:
    first = next((number for number, word in enumerate(words) if word not in _SCOPES), len(words))
    return words[first:]


_GIVEN_SETTINGS = re.compile(
    r"(?i)\bgit_(?:config_(?:count|key|value|parameters)|template_dir)|--config-e|\binit\.templated"
)
_AS_MODULE = re.compile(r"-\w*m")
_MODULE = re.compile(r"(?<!\S)(-\w*m)\s*(maverick_tui)(?:\.[\w.]*)?(?!\S)")
"""Python runs it, by options in one word or two, and any module of it."""
_FUNCTION = re.compile(r"(?<![\w.])[\w.]++(?=\()")
"""In code, which a document may be: `patch(...)` is no command."""
_PARTS = re.compile(r"[;&|<>(){}`\n]")
_MOST_WORDS = 30
"""Words of a call that are looked at where a text may have many."""
_MOST_WORDS_IN_ALL = 20_000
"""Until which all words of each are."""
_STARTING = frozenset(
    "-c ! command do doas else env eval exec if nice nohup run setsid sudo then time until watch while xargs".split()
)
_OURS = [
    [name] for name in "agents attach batch config demo mcp offline race rules run runs stop tasks worktree".split()
]
"""Our commands, and groups of them, that do more than tell."""
_TELLING_OF_OURS = frozenset({
    "ps", "logs", "wait", "blame", "doctor", "schema", "--version", "--help", "-h", "agents list", "agents show",
    "agents check", "rules list", "rules test", "config show", "runs list", "runs show", "runs search", "runs diff",
    "worktree list",
})  # fmt: skip
_SHIMS = tuple(f"~/{place}/shims" for place in (".asdf", ".local/share/mise", ".nodenv", ".pyenv", ".rbenv"))
_TELLING = frozenset("--get --get-all --get-regexp --get-urlmatch --list -l get list".split())
_SCOPES = frozenset("--global --local --system --worktree --show-origin --show-scope --name-only -z --null".split())
_HARMLESS_SETTINGS = frozenset(
    "user.name user.email color.ui core.autocrlf core.eol core.filemode core.longpaths core.quotepath fetch.prune"
    " init.defaultbranch merge.conflictstyle pull.ff pull.rebase push.autosetupremote push.default rebase.autostash"
    " rerere.enabled".split()
)
_HELPED = "::"
"""In an address, that names a program to be asked for it."""
_WITH_REMOTES = frozenset("fetch ls-remote pull push".split())
_FLAGS = frozenset(
    "-4 -6 -a -d -f -n -p -q -r -t -u -v --all --atomic --autostash --delete --dry-run --exit-code --ff --ff-only"
    " --follow-tags --force --force-with-lease --heads --mirror --no-edit --no-ff --no-rebase --no-tags --no-verify"
    " --porcelain --progress --prune --prune-tags --quiet --rebase --refs --set-upstream --squash --symref --tags"
    " --unshallow --update-head-ok --verbose".split()
)
"""Options of these that have no value behind them."""
_VALUED = frozenset({"-o", "--push-option", "--server-option"})
"""Options of these that have one."""
_CHOICE = r"-X[\w=-]+"
"""For a strategy of merging, whose name is that of a program: what it is to prefer."""
_PLAIN_JQ = r"(?:-q|--jq)[ =]?(?!.*(?i:env|import|include)).+"
"""A query that reads nothing but the answer: `env` has all variables."""
_START_OTHERS = frozenset({"just", "tox"})
_SCRIPTS = Runner(
    "script-shell shell node-options node-arg prefix userconfig globalconfig cwd dir git config use-yarnrc preload"
    " require import env-file",
    "C",
    is_for_scripts=True,
)
_NPM_EXEC = Runner("call package", "cp", is_for_scripts=True)
_PACKAGES = Runner("option config-file", "oc")
_CONTAINERS = Runner("file project-directory config output", "fHo", "cp create exec run")
_RUNNERS: dict[str, Runner] = {
    "ant": Runner("buildfile file lib propertyfile find logger listener inputhandler main f s", "D"),
    "apt": _PACKAGES,
    "apt-get": _PACKAGES,
    "bun": _SCRIPTS,
    "bun test": Runner(letters="r"),
    "composer": Runner("working-dir", "d"),
    "docker": _CONTAINERS,
    "docker logs": Runner(is_all=True),
    "gh": Runner("upload-pack config template jq", "cuq", harmless=_PLAIN_JQ),
    "git": Runner("exec extcmd receive-pack template upload-pack open-files-in-pager sendmail-cmd smtp-server"),
    "git archive": Runner("remote exec format output", "o"),
    "git bisect": Runner(words="run view visualize"),
    "git cherry-pick": Runner("strategy"),  # its name is that of a program
    "git clone": Runner("config template upload-pack", "cu", operands=_HELPED),
    "git difftool": Runner("extcmd tool", "xt"),
    "git fetch": Runner("upload-pack multiple", operands=_HELPED),
    "git ls-remote": Runner("upload-pack exec", "u", operands=_HELPED),
    "git mergetool": Runner("tool", "t"),
    "git pull": Runner("upload-pack multiple strategy", "s", operands=_HELPED, harmless=_CHOICE),
    "git push": Runner("receive-pack exec repo", operands=_HELPED),
    "git merge": Runner("strategy", "s", harmless=_CHOICE),
    "git rebase": Runner("exec strategy", "xs", harmless=_CHOICE),
    "git remote": Runner(words="add set-url"),
    "git revert": Runner("strategy"),
    "git send-email": Runner("to-cmd cc-cmd header-cmd sendmail-cmd smtp-server"),
    "git submodule": Runner("template", words="foreach"),
    "invoke": Runner("collection search-root config", "crf"),
    "just": Runner("justfile working-directory shell set command chooser choose dotenv edit", "fdce", operands="="),
    "kubectl": Runner("kubeconfig server token proxy-url as helm-command", "s", words="cp exec run"),
    "ninja": Runner(letters="Cft"),
    "nox": Runner("sessions noxfile tags keywords plugins force default", "stfkx", is_for_scripts=True),
    "npm": _SCRIPTS,
    "npm exec": _NPM_EXEC,
    "npm x": _NPM_EXEC,
    "pnpm": _SCRIPTS,
    "podman": _CONTAINERS,
    "podman logs": Runner(is_all=True),
    "poetry": Runner("directory project", "CP"),
    "rake": Runner("rakefile require execute eval libdir rakelibdir directory system", "freEpIRCg", operands="="),
    "task": Runner("taskfile dir", "td", operands="="),
    "terraform": Runner("chdir from-module plugin-dir"),
    "tox": Runner("conf root override workdir env", "ecmx", is_for_scripts=True),
    "turbo": Runner("cwd root-turbo-json cache-dir profile anon-profile graph", is_for_scripts=True),
    "yarn": _SCRIPTS,
}

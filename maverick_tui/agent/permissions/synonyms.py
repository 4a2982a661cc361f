"""Other names of the same subcommand: a rule that denies `npm install` is about `npm i` as well, and about `npm insta`.

For rules that deny or ask alone: what is allowed is allowed by the name that a rule says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from maverick_tui.agent.permissions.reading import name_of

_RUN = "run|run-script|rum|urn"
_OF_PACKAGES = (
    "install|add|a|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|it|install-test",
    "ci|clean-install|ic|install-clean|isntall-clean|install-ci-test|clean-install-test|cit|sit",
    "uninstall|remove|rm|r|un|unlink",
    "update|u|up|upgrade|udpate",
    _RUN,
)
_OF_SCRIPTS = tuple(
    "|".join((names, *(f"{run} {names.partition('|')[0]}" for run in _RUN.split("|"))))
    for names in ("test|t|tst", "start", "stop", "restart")
)
"""Scripts of a project for which there are commands: `npm test` is `npm run test`."""
_RUN_WORDS = [[name] for name in _RUN.split("|")]
_RUN_SCRIPTS_BY_NAME = frozenset({"bun", "pnpm", "yarn"})
"""Programs that take any word for a script which is no command of theirs: `yarn deploy` is `yarn run deploy`."""
_NO_SCRIPTS = frozenset(
    {
        *_RUN_SCRIPTS_BY_NAME,
        *(name for names in _OF_PACKAGES for name in names.split("|")),
        *"""access audit bin cache config constraints create dedupe dlx env exec explain fetch global help import info
        init la licenses link list ll ln login logout ls node npm outdated owner pack patch patch-commit plugin pm
        policies prune publish rb rebuild recursive root search self-update set setup store tag team unplug
        upgrade-interactive version versions view whoami why workspace workspaces x""".split(),
    }
)
"""Commands of theirs, and their own names: a text may have two calls of one."""
_OF_NPM = """access adduser|add-user approve-scripts audit bugs|issues cache completion config|c dedupe|ddp deny-scripts
    deprecate diff dist-tag|dist-tags docs|home doctor edit explain|why explore find-dupes fund help|hlep help-search
    init|create|innit install-scripts link|ln ll|la login logout ls|list org|ogr outdated owner|author pack ping pkg
    prefix profile prune publish query rebuild|rb repo root sbom search|s|se|find shrinkwrap stage star stars team
    token trust undeprecate unpublish unstar version|verison view|v|info|show whoami""".split()
"""What else npm has: of a program that takes a beginning for the name, all names have to be known."""
_OF_COMPOSER = """about archive audit browse|home bump check-platform-reqs clear-cache|clearcache|cc completion config
    create-project depends|why diagnose dump-autoload|dumpautoload exec fund global help init install|i licenses list
    outdated policy prohibits|why-not reinstall remove|rm|uninstall repository|repo require|r run-script|run search
    self-update|selfupdate show|info status suggests update|u|upgrade validate""".split()
_OF_CARGO = ("build|b", "check|c", "doc|d", "remove|rm", "run|r", "test|t")
_OF_CONTAINERS = (
    *(
        f"{name}|container {name}"
        for name in "attach commit cp create diff exec export kill logs pause port rename restart run start stats"
        " stop top unpause update wait".split()
    ),
    *(f"{name}|image {name}" for name in "history import load pull push save tag".split()),
    "build|image build|builder build|buildx build|buildx b",
    "images|image ls|image list",
    "inspect|container inspect|image inspect",
    "ps|container ps|container ls|container list",
    "rm|container rm|container remove",
    "rmi|image rm|image remove",
    "network rm|network remove",
    "volume rm|volume remove",
)
_OF_PROGRAMS = {
    **dict.fromkeys(("pnpm", "yarn", "bun"), _OF_PACKAGES + _OF_SCRIPTS),
    "npm": (*_OF_PACKAGES, *_OF_SCRIPTS, *_OF_NPM, "get|config get", "set|config set"),
    "composer": _OF_COMPOSER,
    **dict.fromkeys(("docker", "podman"), _OF_CONTAINERS),
    "cargo": _OF_CARGO,
    "git": ("add|stage", "blame|annotate", "init|init-db", "push|send-pack|http-push"),
}
_SAME = (
    *([f"{program} {name}" for name in names.split("|")] for program, some in _OF_PROGRAMS.items() for names in some),
    ["npm exec", "npm x", "npx"],
    ["pnpm dlx", "pnpx", "pnx"],
    ["bun x", "bunx"],
    ["uv tool run", "uvx"],
    ["docker compose", "docker-compose"],
    ["podman compose", "podman-compose"],
    ["apt", "apt-get"],
)
_OTHERS = {
    tuple(name.split()): [other.split() for other in names if other != name] for names in _SAME for name in names
}
_PROGRAMS = frozenset(name[0] for name in _OTHERS)
_LONGEST = max(map(len, _OTHERS))
_WHOLE = {
    program: sorted(name[1] for name in _OTHERS if name[0] == program and len(name) == 2)
    for program in ("composer", "npm")
}
"""By a program that takes what a name of a command begins with for that name: all those names."""
_CAPITAL = re.compile("[A-Z]")
_MOST_WORDS, _MOST_BEFORE = 8, 6
"""Words of a call that are looked at in a text, and those that one option alone may have before the subcommand."""


def spellings(words: Sequence[str]) -> Iterator[list[str]]:
    """The same call by the other names of what it does; nothing if it has none."""
    if words[0] == "yarn" and all(word.startswith("-") for word in words[1:]):
        words = ["yarn", "install", *words[1:]]
        yield [*words]
    for name in names_begun(words):
        yield (whole := [words[0], name, *words[2:]])
        yield from spellings(whole)
    yield from _as_scripts(words)
    for count in range(1, _LONGEST + 1):
        yield from ([*name, *words[count:]] for name in _OTHERS.get(tuple(words[:count]), ()))


def names_begun(words: Sequence[str]) -> list[str]:
    """The names of commands that a call may mean by the beginning of one, `npm pub`; none if it has a whole name."""
    said, names = "".join(words[1:2]), _WHOLE.get(words[0], [])
    if not said or said in names:
        return []
    # To npm `runScript` is `run-script`, and composer does not mind capitals.
    begun = (_CAPITAL.sub(lambda found: f"-{found[0].lower()}", said), said.casefold())
    return [name for name in names if name.startswith(begun)]


def _as_scripts(words: Sequence[str]) -> Iterator[list[str]]:
    """A call of a script with and without the word `run`, where that makes no difference."""
    program, *rest = words
    is_run = rest[:1] in _RUN_WORDS
    script = rest[1:] if is_run else rest
    if program not in _RUN_SCRIPTS_BY_NAME or not script or script[0] in _NO_SCRIPTS or script[0].startswith("-"):
        return
    yield from [[program, *script]] if is_run else ([program, *run, *script] for run in _RUN_WORDS)


def may_be_spelled(own: Sequence[str], text: str) -> bool:
    """Whether a text may have a call that begins with these words by other names, whatever options stand before."""
    return own[0] in _PROGRAMS and tuple(own[:_MOST_WORDS]) in _begun_within(text, min(len(own), _MOST_WORDS))


@lru_cache(maxsize=8)  # each rule asks for those of the same command
def _begun_within(text: str, count: int) -> frozenset[tuple[str, ...]]:
    words, calls, looked = text.split(), set[tuple[str, ...]](), dict[str, int]()
    for at, word in enumerate(words):
        if (program := name_of(word)) in _PROGRAMS:
            # Behind a program are often the options of the same one again, as in `npm -d npm -d`.
            places = range(max(at + 1, looked.get(program, 0)), _last_place(words, at + 1) + 1)
            looked[program] = max(looked.get(program, 0), places.stop)
            calls.update((program, *words[place : place + _MOST_WORDS]) for place in places)
    return frozenset(tuple(same[:count]) for call in calls for same in spellings(call))


def _last_place(words: Sequence[str], first: int) -> int:
    """The last place at which a subcommand may stand: behind all options, each of which may have a value."""
    last = at = first
    while at <= last and at < len(words):
        if words[at].startswith("-"):
            last = max(at + 2, first + _MOST_BEFORE)
        at += 1
    return last

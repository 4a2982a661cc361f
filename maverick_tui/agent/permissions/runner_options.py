"""What programs that run scripts, tests and builds of a project may be told by a rule for a subcommand of theirs: which
of them, and how to tell of it.

Lists of what is known to be harmless, as for checkers: npm alone takes any spelling and any beginning of a name, and
hands every option on to the scripts, where another npm obeys it. Where the files may lie that options name for output
is for `output_files.py` to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from maverick_tui.agent.permissions.checkers import CHECKERS, Checker
from maverick_tui.agent.permissions.reading import name_of


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the options of a runner, or of one subcommand, and where they end."""

    options: Checker
    gives_on: bool = False
    """Whether everything behind `--` is for a program of the project."""
    behind: Checker | None = None
    """What that may be told if it may be any program: a script."""
    flags: str | None = None
    """For one that starts a program, which gets everything behind its name: which of the options have no value."""

    def is_told_more(self, words: Sequence[str], place: int, said: int) -> bool:
        """Whether there is an option that is not known among its own, which begin at a place, behind what is said."""
        end = len(words)
        if self.flags is not None:
            end = self._program_at(words, place)
        elif self.gives_on and "--" in words:
            end = words.index("--")
        if self.behind is not None and end >= said and self.behind.runs(words[end:]):
            return True
        return self.options.runs(words[max(said, place) : end])

    def _program_at(self, words: Sequence[str], place: int) -> int:
        flags = (self.flags or "").split()
        while place < len(words) and words[place].startswith("-") and words[place] != "--":
            place += 1 if "=" in words[place] or words[place].lstrip("-") in flags else 2
        return place


def has_unknown_options(words: Sequence[str], said: int) -> bool:
    """Whether a runner is told more than is known to be harmless, behind the words that a rule says: a subcommand at
    least, for one for all of a program says all that it does.
    """
    program = words[0]
    if min(said, len(words)) < 2 or program not in LISTED:
        return False
    # What npm is told behind the name of a checker is held against the list of that.
    if program in _OF_SCRIPTS and any(name_of(word) in CHECKERS for word in words[1:said]):
        return False
    return any(known.is_told_more(words, place, said) for known, place in _known(program, words, said))


def _known(program: str, words: Sequence[str], said: int) -> Iterator[tuple[Known, int]]:
    """By the subcommand that is said; behind an option, which may have a value, it is any of the words."""
    last = said if words[1][:1] in ("-", "+") else 2
    found = [
        (known, place + 1)
        for place, word in enumerate(words[:last])
        if place > 0 and (known := _SUBCOMMANDS.get(f"{program} {word}"))
    ]
    yield from found or [(LISTED[program], 2)]


_OF_SCRIPTS = frozenset("bun npm pnpm yarn".split())
_PLAIN = r"[\w-]+"
_EXPANDED = r"(?s:.*[$`])"
"""What an older npm has a shell expand that runs the script."""
_SCRIPTS = """silent quiet verbose loglevel color no-color progress no-progress json parseable long depth all help
    version if-present workspace workspaces include-workspace-root workspace-root recursive filter stream parallel bail
    no-bail sort no-sort workspace-concurrency aggregate-output foreground-scripts ignore-scripts force dry-run yes
    save save-dev save-exact save-optional save-peer save-prod save-bundle no-save dev prod production only omit include
    exact optional no-optional peer tilde caret cached latest legacy-peer-deps strict-peer-deps no-strict-peer-deps
    engine-strict prefer-offline prefer-online offline audit no-audit audit-level fund no-fund package-lock
    no-package-lock package-lock-only no-bin-links install-links install-strategy lockfile-only fix-lockfile
    frozen-lockfile no-frozen-lockfile pure-lockfile immutable immutable-cache check-cache inline-builds mode
    shamefully-hoist ignore-engines ignore-optional ignore-platform ignore-workspace-root-check non-interactive
    network-timeout network-concurrency check-files"""
_TOLD_TO_SCRIPTS = """coverage watch watchAll no-watch ci no-ci fix check list-different write max-warnings ext
    updateSnapshot update runInBand passWithNoTests testPathPattern testPathPatterns testNamePattern testTimeout
    findRelatedTests runTestsByPath onlyChanged changed maxWorkers workers retries shard forceExit detectOpenHandles
    collectCoverageFrom grep headed port noEmit skipLibCheck pretty configuration"""
"""What people tell a script, also without a `--`, and what says nothing to the program that runs it."""
_PLAIN_VALUES = {"reporter": _PLAIN, "project": r"(?!\.\.)[\w .-]+", "run": "|-.*"}  # `node --run x` runs a script
_FOR_SCRIPTS = Checker(
    f"{_TOLD_TO_SCRIPTS} silent quiet verbose color no-color mode bail no-bail json only help version b h i q t u v w",
    limited=_PLAIN_VALUES,
    refused=_EXPANDED,
    are_words=True,
)
"""It may be npm again, which takes them for its own, or node, which runs code that it is told (`--import=data:…`)."""
_NPM = Known(
    Checker(
        f"{_SCRIPTS} {_TOLD_TO_SCRIPTS} s q d dd ddd w ws iwr D E P S B W F y a l h t u v",
        limited=_PLAIN_VALUES,
        refused=_EXPANDED,
        are_words=True,
    ),
    gives_on=True,
    behind=_FOR_SCRIPTS,
)
_BUN = Known(
    Checker(
        f"""{_SCRIPTS} {_TOLD_TO_SCRIPTS} timeout rerun-each todo test-name-pattern update-snapshots randomize seed
        concurrent max-concurrency smol no-cache elide-lines bun D E F b h t u""",
        limited={"coverage-reporter": "text|lcov"} | _PLAIN_VALUES,
        refused=_EXPANDED,
        are_words=True,
    ),
    gives_on=True,
    behind=_FOR_SCRIPTS,
)

_CARGO = """package workspace all exclude lib bins bin examples example tests test benches bench all-targets features
    all-features no-default-features default-features release profile jobs keep-going ignore-rust-version locked offline
    frozen verbose quiet color message-format no-run no-fail-fast doc no-deps document-private-items timings
    future-incompat-report fix allow-dirty allow-staged allow-no-vcs edition check help version list dev build optional
    rename dry-run precise recursive format-version target-dir artifact-dir"""
_CARGO_FLAGS, _CARGO_VALUED = "hnqrvV", "jpF"
# Another may be the name of a file, which names a linker.
_TARGET = {"target": r"(?!.*\.json$)[\w.]+(?:-[\w.]+)+"}
_TOOLCHAIN = r"[@+]"
_CARGO_PROGRAMS = Known(
    Checker(_CARGO, _CARGO_FLAGS, _CARGO_VALUED, _TARGET, refused=_TOOLCHAIN),
    gives_on=True,
)
_NEXTEST = """no-capture nocapture retries partition status-level final-status-level failure-output success-output
    test-threads run-ignored no-tests filterset filter-expr cargo-profile max-fail"""

_GO = """a n p race msan asan cover covermode coverpkg v work x buildvcs tags trimpath modcacherw json run bench
    benchmem benchtime count cpu parallel timeout short failfast shuffle list skip fuzz fuzztime fuzzminimizetime c
    fullpath blockprofilerate mutexprofilefraction memprofilerate o outputdir coverprofile cpuprofile memprofile
    blockprofile mutexprofile trace m u t f e h help go compat fix diff printf composites copylocks all"""
_GO_OPTIONS = Checker(_GO, limited={"mod": "readonly|vendor|mod", "vet": r"\w+(?:,\w+)*"}, are_words=True)

_MAKE = """jobs load-average max-load keep-going no-keep-going stop always-make silent quiet no-silent just-print
    dry-run recon question touch print-directory no-print-directory output-sync trace debug warn-undefined-variables
    ignore-errors no-builtin-rules no-builtin-variables check-symlink-times print-data-base environment-overrides
    old-file assume-old new-file what-if assume-new shuffle version help"""

_GRADLE = """tests info i debug d quiet q warn w stacktrace s full-stacktrace S continue no-continue offline parallel
    no-parallel rerun-tasks rerun daemon no-daemon build-cache no-build-cache configuration-cache no-configuration-cache
    configure-on-demand no-configure-on-demand console warning-mode max-workers x exclude-task a no-rebuild dry-run m
    profile no-scan refresh-dependencies fail-fast priority watch-fs no-watch-fs continuous t test-dry-run status stop
    version v help h configuration dependency task args all"""

_MAVEN = """q quiet o offline e errors X debug verbose B batch-mode ntp no-transfer-progress U update-snapshots nsu
    no-snapshot-updates pl projects am also-make amd also-make-dependents rf resume-from r resume T threads P
    activate-profiles fae fail-at-end ff fail-fast fn fail-never N non-recursive V show-version v version C
    strict-checksums c lax-checksums h help"""
_WITH_VALUES = (
    r"-P[\w,!?.-]+|-T[\d.]+C?"
    r"|-D(?:test|it\.test|skipTests|skipITs|maven\.test\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests)"
    r"(?:=[\w.#*,+!-]*)?"
)

_DOTNET = """no-build no-restore c configuration f framework r runtime v verbosity nologo filter blame blame-hang
    blame-crash blame-hang-timeout list-tests t no-incremental no-dependencies force tl m maxcpucount os arch a
    self-contained no-self-contained use-current-runtime ucr disable-build-servers force-evaluate locked-mode no-cache
    verify-no-changes include exclude severity no-launch-profile h help version info list-sdks list-runtimes outdated
    include-transitive o output results-directory"""
_DOTNET_OPTIONS = Checker(
    _DOTNET,
    limited={
        **dict.fromkeys(("l", "logger"), r"(?:console|trx|html)(?:;verbosity=\w+)?"),
        "collect": r"[\w ]+",
    },
    # An option of msbuild, and settings of the runner of tests, which may name what it loads.
    refused=r"@|/[^/]*(?::|$)|--$",
    are_words=True,
)

_PIP = """requirement editable upgrade upgrade-strategy quiet verbose no-deps no-cache-dir user pre force-reinstall
    no-build-isolation dry-run constraint group no-input disable-pip-version-check no-color no-warn-script-location
    prefer-binary only-binary no-binary no-compile ignore-installed ignore-requires-python require-hashes progress-bar
    break-system-packages use-pep517 yes format outdated uptodate local not-required exclude exclude-editable all files
    timeout retries help version target root prefix report log src dest wheel-dir cache-dir"""

_UV_FLAGS = """frozen locked no-sync no-project isolated active exact dev no-dev only-dev all-groups all-extras
    all-packages no-default-groups no-editable upgrade U refresh reinstall offline quiet q qq verbose v vv no-progress
    no-cache n help h no-env-file managed-python"""
_UV = """group no-group only-group extra no-extra package upgrade-package refresh-package reinstall-package resolution
    prerelease color with with-editable with-requirements"""
_UV_ELSEWHERE = """editable raw-sources optional bounds check dry-run outdated depth invert prune no-dedupe format
    output-format no-hashes no-emit-project no-annotate no-header requirement requirements constraint constraints
    no-build-isolation no-deps strict exclude universal generate-hashes compile-bytecode no-install-project
    no-install-workspace inexact wheel sdist version short bump output-file out-dir cache-dir"""

LISTED: dict[str, Known] = {
    "bun": _BUN,
    "cargo": Known(Checker(_CARGO, _CARGO_FLAGS, _CARGO_VALUED, _TARGET, refused=_TOOLCHAIN)),
    "dotnet": Known(_DOTNET_OPTIONS),
    "go": Known(_GO_OPTIONS),
    "gradle": Known(Checker(_GRADLE, are_words=True)),
    "make": Known(Checker(_MAKE, "BLRSdeiknpqrstvwh", "jlOWo", refused=r"@|(?s:(?!-).*=)")),
    "mvn": Known(
        Checker(
            _MAVEN,
            others=_WITH_VALUES,
            refused=r"@|(?s:(?!-).*:)",  # a goal of any plugin
            are_words=True,
        )
    ),
    "npm": _NPM,
    "pip": Known(Checker(_PIP, "hloquvyIU", "cdertw")),
    "pnpm": _NPM,
    "uv": Known(Checker(f"{_UV_FLAGS} {_UV} {_UV_ELSEWHERE}", "hnqvU", "cdeorP")),
    "yarn": _NPM,
}
"""What each of them may be told, if it is not said for the subcommand."""
_SUBCOMMANDS: dict[str, Known] = {
    **dict.fromkeys(("cargo bench", "cargo r", "cargo run", "cargo t", "cargo test"), _CARGO_PROGRAMS),
    # Behind its `--` are options of rustc, any of which may be one of cargo's here: none of those is more to rustc.
    "cargo clippy": Known(
        Checker(f"{_CARGO} cap-lints", _CARGO_FLAGS, f"{_CARGO_VALUED}ADW", _TARGET, refused=_TOOLCHAIN)
    ),
    # And here of rustfmt, which formats any file that it is given.
    "cargo fmt": Known(
        Checker("all package check message-format verbose quiet help", "hqv", "p", refused=r"[@+/~]|.*\.\.")
    ),
    "cargo nextest": Known(
        Checker(f"{_CARGO} {_NEXTEST}", _CARGO_FLAGS, f"{_CARGO_VALUED}EP", _TARGET, refused=_TOOLCHAIN), gives_on=True
    ),
    "cargo tree": Known(
        Checker(f"{_CARGO} invert depth edges prefix duplicates no-dedupe charset", "dhqvV", "eipF", _TARGET)
    ),
    "dotnet run": Known(_DOTNET_OPTIONS, gives_on=True),
    "go run": Known(_GO_OPTIONS, flags="a n race msan asan cover v work x trimpath modcacherw"),
    "uv run": Known(
        Checker(f"{_UV_FLAGS} {_UV} module script", "hmnqsvU", "w"), flags=f"{_UV_FLAGS} m module s script"
    ),
}

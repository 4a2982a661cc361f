"""What checkers, formatters and runners of tests may be told by a rule for all of such a program: what to look at, and
how to tell of it.

A list of what is known to be harmless: from a list of what is not, something would always be missing, and run unasked.
Plugins and the next version bring options that name a program (`pytest --tx`), or a file to be written
(`mypy --junit-xml`). Only whole names count, since an abbreviation may be that of another option.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Checker:
    """Options with which a program does no more than it is for; a value may be joined to its option, or follow it."""

    names: str = ""
    """Long ones, whatever their value is."""
    letters: str = ""
    """Short ones without a value, which may stand in one word."""
    valued: str = ""
    """Short ones with any value."""
    limited: Mapping[str, str] = field(default_factory=dict)
    """Options whose value must be like a regular expression: by their names, and by their letters."""
    others: str = r"(?!)"
    """A regular expression for further options, with their values."""
    refused: str = r"@"
    """Words that are more than something to look at, by their beginning: a file with further arguments."""
    are_words: bool = False
    """Whether letters do not stand in one word: `-run` is `--run`, by any number of dashes, and values follow a `:`."""

    def runs(self, words: Sequence[str]) -> bool:
        """Whether these words may make it do more.

        Each word that looks like an option is taken for one, also where it may be the value of another, or a file.
        """
        known = frozenset(self.names.split())
        return any(
            re.match(self.refused, word) or (word[:1] == "-" and not self._knows(word, following, known))
            for word, following in pairwise((*words, ""))
        )

    def _knows(self, option: str, following: str, known: frozenset[str]) -> bool:
        if option in ("-", "--") or re.fullmatch(self.others, option):
            return True
        if self.are_words or option.startswith("--"):
            text, sign = (option.lstrip("-"), "[=:]") if self.are_words else (option[2:], "=")
            name, value, *_ = (*re.split(sign, text, maxsplit=1), following)
            return name in known or self._is_within_limits(name, value)
        for at, letter in enumerate(option[1:], start=2):
            if letter in self.valued:
                return True
            if letter not in self.letters:
                return self._is_within_limits(letter, option[at:].removeprefix("=") or following)
        return True

    def _is_within_limits(self, name: str, value: str) -> bool:
        return name in self.limited and re.fullmatch(self.limited[name], value) is not None


_WARNING = r"\w+(?::[^:]*(?::\w*(?::[^:]*){0,2})?)?"
"""A filter of warnings: a category with a dot would be imported."""
_PYTEST = Checker(
    """exitfirst maxfail strict strict-config strict-markers markers fixtures funcargs fixtures-per-test capture
    runxfail lf last-failed ff failed-first nf new-first cache-show cache-clear lfnf last-failed-no-failures sw
    stepwise sw-skip stepwise-skip sw-reset stepwise-reset durations durations-min verbose verbosity quiet no-header
    no-summary no-fold-skipped force-short-summary disable-warnings disable-pytest-warnings showlocals no-showlocals
    tb xfail-tb show-capture full-trace fulltrace color code-highlight collect-only co pyargs ignore ignore-glob
    deselect noconftest keep-duplicates collect-in-virtualenv continue-on-collection-errors doctest-modules
    doctest-report doctest-glob doctest-ignore-import-errors doctest-continue-on-failure version help
    disable-plugin-autoload trace-config assert setup-only setup-show setup-plan log-level log-format
    log-date-format log-cli-level log-cli-format log-cli-date-format log-auto-indent log-disable numprocesses
    maxprocesses max-worker-restart dist maxschedchunk loadscope-reorder no-loadscope-reorder forked cov no-cov
    cov-branch cov-append cov-reset cov-context cov-fail-under cov-precision no-cov-on-fail timeout timeout-method
    session-timeout reruns reruns-delay only-rerun rerun-except count repeat-scope randomly-seed
    randomly-dont-reorganize randomly-dont-reset-seed random-order random-order-bucket random-order-seed
    hypothesis-profile hypothesis-verbosity hypothesis-show-statistics hypothesis-seed hypothesis-explain
    snapshot-update snapshot-warn-unused snapshot-details snapshot-no-colors snapshot-diff-mode asyncio-mode
    asyncio-debug anyio-mode benchmark-skip benchmark-only benchmark-disable benchmark-enable benchmark-sort
    benchmark-columns benchmark-group-by benchmark-min-rounds benchmark-max-time benchmark-warmup splits group
    splitting-algorithm testmon picked reuse-db create-db migrations no-migrations nomigrations
    fail-on-template-vars headed browser runslow""",
    "dhlqsvxV",
    "kmnr",
    {
        "p": r"no:[\w.-]+",
        "W": _WARNING,
        "pythonwarnings": _WARNING,
        # Where the reports lie that are files is for the project's settings to say.
        "cov-report": r"(?:term(?:-missing)?(?::skip-covered)?|html|xml|json|lcov)?",
    },
)
_MYPY = Checker(
    """help verbose version warn-unused-configs no-warn-unused-configs no-namespace-packages namespace-packages
    explicit-package-bases ignore-missing-imports follow-imports follow-untyped-imports no-site-packages
    no-silence-site-packages python-version platform always-true always-false disallow-any-unimported
    allow-any-unimported disallow-any-expr disallow-any-decorated disallow-any-explicit disallow-any-generics
    allow-any-generics disallow-subclassing-any allow-subclassing-any disallow-untyped-calls allow-untyped-calls
    untyped-calls-exclude disallow-untyped-defs allow-untyped-defs disallow-incomplete-defs allow-incomplete-defs
    check-untyped-defs no-check-untyped-defs disallow-untyped-decorators allow-untyped-decorators implicit-optional
    no-implicit-optional strict-optional no-strict-optional warn-redundant-casts no-warn-redundant-casts
    warn-unused-ignores no-warn-unused-ignores warn-no-return no-warn-no-return warn-return-any no-warn-return-any
    warn-unreachable no-warn-unreachable warn-incomplete-stub report-deprecated-as-note deprecated-calls-exclude
    allow-untyped-globals disallow-untyped-globals allow-redefinition disallow-redefinition allow-redefinition-new
    allow-redefinition-old disallow-redefinition-new implicit-reexport no-implicit-reexport strict-equality
    no-strict-equality strict-equality-for-none no-strict-equality-for-none strict-bytes no-strict-bytes
    extra-checks no-extra-checks strict strict-concatenate disable-error-code enable-error-code
    enable-incomplete-feature show-error-context hide-error-context show-column-numbers hide-column-numbers
    show-error-end hide-error-end show-error-codes hide-error-codes show-error-code-links hide-error-code-links
    pretty no-pretty color-output no-color-output error-summary no-error-summary show-absolute-path
    hide-absolute-path output incremental no-incremental sqlite-cache no-sqlite-cache fixed-format-cache
    no-fixed-format-cache cache-fine-grained skip-version-check skip-cache-mtime-checks show-traceback
    tb raise-exceptions scripts-are-modules exclude exclude-gitignore no-exclude-gitignore module package command
    find-occurrences""",
    "hivV",
    "cmpO",
    {"cache-dir": "/dev/null"},
)
_RUFF = Checker(
    """fix no-fix unsafe-fixes no-unsafe-fixes show-fixes no-show-fixes diff watch fix-only no-fix-only ignore-noqa
    output-format target-version preview no-preview statistics add-noqa add-ignore show-files show-settings help
    select ignore extend-select extend-ignore per-file-ignores extend-per-file-ignores fixable unfixable
    extend-fixable extend-unfixable exclude extend-exclude respect-gitignore no-respect-gitignore force-exclude
    no-force-exclude no-cache stdin-filename exit-zero exit-non-zero-on-fix exit-non-zero-on-format verbose quiet
    silent isolated color check line-length range extension version all direction min-dots detect-string-imports""",
    "ehnqsvVw",
)
_BLACK = Checker(
    """check diff color no-color fast safe line-length target-version pyi ipynb preview unstable line-ranges
    skip-string-normalization skip-magic-trailing-comma skip-source-first-line enable-unstable-feature
    python-cell-magics include exclude extend-exclude force-exclude stdin-filename workers quiet verbose version
    help required-version no-cache code""",
    "hqvxCS",
    "cltW",
)
_FLAKE8 = Checker(
    """max-line-length max-complexity max-doc-length select ignore extend-ignore extend-select per-file-ignores exclude
    extend-exclude filename show-source no-show-source statistics count hang-closing indent-size disable-noqa
    doctests include-in-doctest exclude-from-doctest color benchmark exit-zero stdin-display-name jobs builtins
    isolated verbose quiet version help max-cognitive-complexity docstring-convention inline-quotes
    import-order-style application-import-names""",
    "hqv",
    "j",
    {"format": "default|pylint|quiet-filename|quiet-nothing"},
)
_ISORT = Checker(
    """check check-only diff quiet stdout verbose version help show-files show-config dedup-headings only-modified
    filter-files dont-follow-links jobs atomic skip extend-skip skip-glob extend-skip-glob skip-gitignore gitignore
    profile line-length line-width wrap-length multi-line trailing-comma use-parentheses force-sort-within-sections
    force-single-line single-line-exclusions length-sort no-sections float-to-top python-version py src src-path
    project thirdparty future builtin color combine-as combine-star lines-after-imports lines-between-types
    filename order-by-type reverse-relative star-first case-sensitive honor-noqa
    ensure-newline-before-comments sl fss tc up ac df""",
    "cqvV",
    "jlmw",
)
_PYRIGHT = Checker(
    """outputjson stats verbose warnings level watch skipunannotated dependencies verifytypes ignoreexternal
    pythonplatform pythonversion version help threads""",
    "hw",
)
_PYLINT = Checker(
    """disable enable errors-only reports score jobs max-line-length max-args max-locals max-branches max-statements
    max-returns max-attributes max-complexity max-module-lines min-public-methods max-public-methods
    min-similarity-lines ignore ignore-patterns ignore-paths recursive py-version fail-under fail-on persistent
    msg-template exit-zero list-msgs list-msgs-enabled help-msg list-groups confidence good-names bad-names verbose
    version help""",
    "Ehv",
    "dejrs",
    dict.fromkeys(("f", "output-format"), "text|colorized|parseable|json|json2|msvs|github"),
)
_ESLINT = Checker(
    """ext fix fix-dry-run fix-type quiet max-warnings cache no-cache cache-strategy no-eslintrc no-config-lookup env
    global no-inline-config report-unused-disable-directives report-unused-disable-directives-severity
    report-unused-inline-configs no-error-on-unmatched-pattern exit-on-fatal-error no-warn-ignored
    pass-on-no-patterns color no-color stdin stdin-filename ignore-pattern no-ignore debug version help env-info
    concurrency stats""",
    "hv",
    # A name that is not one of its own is that of a module.
    limited=dict.fromkeys(("f", "format"), "stylish|json|json-with-metadata|html|compact|unix"),
)
_PRETTIER = Checker(
    """check list-different write ignore-unknown tab-width use-tabs no-use-tabs print-width single-quote
    no-single-quote jsx-single-quote quote-props trailing-comma bracket-spacing no-bracket-spacing bracket-same-line
    arrow-parens prose-wrap end-of-line semi no-semi html-whitespace-sensitivity vue-indent-script-and-style
    embedded-language-formatting single-attribute-per-line experimental-ternaries experimental-operator-position
    object-wrap no-config no-editorconfig config-precedence cache no-cache cache-strategy log-level loglevel color
    no-color no-error-on-unmatched-pattern stdin-filepath with-node-modules insert-pragma require-pragma
    check-ignore-pragma range-start range-end version help file-info support-info find-config-path no-plugin-search""",
    "chluw",
    limited={
        # Older ones take any other for a module.
        "parser": "acorn|angular|babel(?:-flow|-ts)?|css|espree|flow|glimmer|graphql|html|json[5c]?|json-stringify|less"
        "|lwc|markdown|mdx|meriyah|scss|typescript|vue|yaml"
    },
)
_INSIDE = r"(?![/~])(?!.*\.\.)[^-].*"
"""A place in the working directory, as far as its words go."""
_TSC = Checker(
    """noEmit skipLibCheck strict watch pretty listFiles listFilesOnly listEmittedFiles noErrorTruncation incremental
    traceResolution explainFiles extendedDiagnostics diagnostics noUnusedLocals noUnusedParameters noImplicitAny
    noImplicitReturns noImplicitThis noImplicitOverride noFallthroughCasesInSwitch strictNullChecks
    strictFunctionTypes strictBindCallApply strictPropertyInitialization target module moduleResolution jsx lib
    esModuleInterop allowJs checkJs resolveJsonModule isolatedModules allowImportingTsExtensions
    forceConsistentCasingInFileNames allowSyntheticDefaultImports experimentalDecorators emitDecoratorMetadata
    noEmitOnError preserveWatchOutput showConfig version help all downlevelIteration exactOptionalPropertyTypes
    noUncheckedIndexedAccess useUnknownInCatchVariables verbatimModuleSyntax noPropertyAccessFromIndexSignature
    declaration emitDeclarationOnly sourceMap removeComments importHelpers useDefineForClassFields
    allowUnreachableCode allowUnusedLabels build verbose dry force stopBuildOnErrors types""",
    "bdfhvw",
    limited={
        **dict.fromkeys(("p", "project"), _INSIDE),
        # By their values, since one dash is enough for a long name: `-tsBuildInfoFile`.
        "m": r"(?i)none|commonjs|amd|umd|system|es\w+|node\w+|preserve",
        "t": r"(?i)es\w+",
    },
    refused=r"[@/~]|.*\.\.",  # it writes beside what it is to look at, and builds all of another project
)
_ALONE = "-[tw]"
"""With a value, which does not follow in the same word: there, `-tc` is `-t -c`."""
_JEST = Checker(
    """coverage no-coverage collectCoverage collectCoverageFrom testNamePattern testPathPattern testPathPatterns
    testPathIgnorePatterns runInBand bail verbose silent ci no-ci updateSnapshot onlyChanged onlyFailures lastCommit
    maxWorkers maxConcurrency passWithNoTests detectOpenHandles detectLeaks forceExit colors color no-color
    noStackTrace listTests findRelatedTests runTestsByPath testTimeout shard randomize seed showSeed clearCache
    no-cache expand json logHeapUsage showConfig selectProjects ignoreProjects errorOnDeprecated useStderr
    workerIdleMemoryLimit watchman no-watchman watch watchAll no-watchAll coverageProvider testLocationInResults
    version help""",
    "befhiouv",
    limited={"coverageReporters": "text|text-summary|html|json|json-summary|lcov|lcovonly|clover|cobertura|none"},
    others=_ALONE,
)
_VITEST = Checker(
    """run watch coverage no-coverage coverage.enabled testNamePattern update silent hideSkippedTests color no-color
    bail retry repeats shard passWithNoTests logHeapUsage allowOnly dangerouslyIgnoreUnhandledErrors testTimeout
    hookTimeout teardownTimeout fileParallelism no-file-parallelism no-fileParallelism maxWorkers minWorkers
    maxConcurrency isolate no-isolate project exclude typecheck sequence.shuffle sequence.seed
    disable-console-intercept disableConsoleIntercept expandSnapshotDiff globals standalone version help clearScreen
    slowTestThreshold no-threads threads""",
    "huvw",
    limited={
        "pool": "threads|forks|vmThreads|vmForks",
        "reporter": "default|basic|verbose|dot|json|tap|tap-flat|tree|hanging-process|github-actions",
    },
    others=_ALONE,
)
_SHELLCHECK = Checker(
    """check-sourced color include exclude extended-analysis format list-optional norc enable shell severity version
    wiki-link-count external-sources help""",
    "ahxV",
    "eifosCSW",
)
_LIKE_AN_OPTION = r"--$|.*/-"
"""The name of a file that a pattern would make an option of, and what has others taken for names."""

CHECKERS: dict[str, Checker] = {
    "basedpyright": _PYRIGHT,
    "black": _BLACK,
    "eslint": _ESLINT,
    "flake8": _FLAKE8,
    "gofmt": Checker(letters="delsw"),
    "goimports": Checker(letters="delvw"),
    "isort": _ISORT,
    "jest": _JEST,
    "mkdir": Checker("mode parents verbose", "pv", "m", refused=_LIKE_AN_OPTION),
    "mypy": _MYPY,
    "prettier": _PRETTIER,
    "py.test": _PYTEST,
    "pylint": _PYLINT,
    "pyright": _PYRIGHT,
    "pytest": _PYTEST,
    "ruff": _RUFF,
    "rustfmt": Checker(
        """check emit edition style-edition color verbose quiet backup files-with-diff unstable-features skip-children
    file-lines error-on-unformatted help version""",
        "hlqvV",
        refused=r"[@+]",  # rustup's: which of them is run
    ),
    "shellcheck": _SHELLCHECK,
    "touch": Checker("date time no-create reference no-dereference", "acfhm", "dtrA", refused=_LIKE_AN_OPTION),
    "tsc": _TSC,
    "vitest": _VITEST,
    "yamllint": Checker("strict format list-files no-warnings version help", "hsv", "f"),
}
"""What each of them may be told, whichever of its subcommands a rule names, if it has any."""

"""Commands that begin as one does that was allowed for a run, and go beyond it. `{B}` is that beginning."""

from __future__ import annotations

from tests.attacks.tricks import Trick

BEYOND: dict[str, str] = {
    "semicolon": "{B} x; touch {P}",
    "semicolon-tight": "{B} x;touch {P}",
    "and": "{B} x && touch {P}",
    "or": "{B} x || touch {P}; touch {P}",
    "pipe": "{B} x | tee {P}",
    "pipe-both": "{B} x |& tee {P}",
    "background": "{B} x & touch {P}",
    "newline": "{B} x\ntouch {P}",
    "newline-tight": "{B}\ntouch {P}",
    "redirect": "{B} x > {P}",
    "redirect-tight": "{B} x>{P}",
    "redirect-error": "{B} x 2>{P}",
    "redirect-both": "{B} x &>{P}",
    "append": "{B} x >> {V}",
    "clobber": "{B} x >| {V}",
    "read-write": "{B} x <> {P}",
    "substitution": "{B} $(touch {P})",
    "substitution-quoted": '{B} "$(touch {P})"',
    "substitution-nested": "{B} ${x:-$(touch {P})}",
    "substitution-arithmetic": "{B} $((a[$(touch {P})]))",
    "backtick": "{B} `touch {P}`",
    "backtick-quoted": '{B} "`touch {P}`"',
    "process": "{B} <(touch {P})",
    "process-out": "{B} x > >(touch {P})",
    "ansi-quote": r"{B} $'\'' ; touch {P} ; : \'",
    "ansi-quote-word": r"{B} x$'\'' ; touch {P} ; : 'y'",
    "ansi-backslash": r"{B} $'\\' ; touch {P}",
    "locale-quote": '{B} $"x" ; touch {P}',
    "escaped-quote": r"{B} \' ; touch {P} ; : \'",
    "double-escaped": r'{B} "\"" ; touch {P} ; : "\""',
    "backslash-semicolon": r"{B} \\\; touch {P}",
    "comment": "{B} # x\ntouch {P}",
    "comment-quote": "{B} x # it's\ntouch {P} # it's",
    "heredoc": "{B} <<END\n$(touch {P})\nEND",
    "heredoc-after": "{B} <<END\nx\nEND\ntouch {P}",
    "here-string": '{B} <<< "$(touch {P})"',
    "assignment": "X=$(touch {P}) {B} x",
    "assignment-path": "PATH={O}:$PATH {B} x; touch {P}",
    "function": "f() { {B} x; touch {P}; }; f",
    "group": "{ {B} x; touch {P}; }",
    "subshell": "({B} x; touch {P})",
    "if": "if {B} x; then touch {P}; fi; touch {P}",
    "for": "for i in 1; do {B} x; touch {P}; done",
    "not": "! {B} x; touch {P}",
    "time": "time {B} x; touch {P}",
    "eval": "eval '{B} x; touch {P}'",
    "shell": "bash -c '{B} x; touch {P}'",
    "before": "touch {P}; {B} x",
    "before-and": "touch {P} && {B} x",
    "in-the-middle": "{B} x; touch {P}; {B} y",
    "longer-word": "{B}x; touch {P}",
    "brace": "{B} {a,$(touch {P})}",
    "expansion-prompt": "x='$(touch {P})'; {B} ${x@P}",
    "trap": "trap 'touch {P}' EXIT; {B} x",
    "alias": "alias x='touch {P}'\n{B} x; touch {P}",
    "xargs": "echo {P} | xargs touch; {B} x",
    "nbsp": "{B}\u00a0x; touch {P}",
    "tab": "{B}\tx\t;\ttouch\t{P}",
    "long": "{B} " + "x" * 5_000 + "; touch {P}",
}

GRANTED: dict[str, tuple[str, str]] = {
    "npm": ("npm run lint", "npm run lint"),
    "add": ("git add README.md", "git add"),
    "mkdir": ("mkdir granted", "mkdir"),
    "python": ("python3 --version -x", "python3"),
}
"""Commands that a person allows for the run, and how others of that kind begin."""


def beyond(granted: str) -> tuple[Trick, ...]:
    """What goes beyond one of `GRANTED`."""
    beginning = GRANTED[granted][1]
    return tuple(
        Trick(f"beyond-{granted}-{name}", command.replace("{B}", beginning)) for name, command in BEYOND.items()
    )

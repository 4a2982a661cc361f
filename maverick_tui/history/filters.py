"""What a person writes to choose among runs: `agent:reviewer repo:shop state:failed since:7d login`."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from maverick_tui.exceptions import ConfigError, did_you_mean

STATES = ("running", "done", "failed", "interrupted", "ended", "unread")
SOURCES = ("maverick", "claude")
"""Who has kept a run: we, or Claude Code."""
FIELDS = ("agent", "repo", "state", "since", "tag", "source")
_WORD = re.compile(rf'(?:({"|".join(FIELDS)}):)?(?:"([^"]*)"?|(\S+))')
_FIELD = re.compile(rf"(?:{'|'.join(FIELDS)}):")
_LIKE_A_FIELD = re.compile(r"([a-z]+):(?!//)\S", re.IGNORECASE)
_SPAN = re.compile(r"(\d{1,6})(m|h|d|w)")
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_SIGNIFICANT = ("L", "N", "Co")
"""Categories of characters that the index knows; all others only part words."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are wanted; what is empty does not matter."""

    agent: str = ""
    repo: str = ""
    state: str = ""
    since: float | None = None
    tag: str = ""
    words: tuple[str, ...] = ()
    """What else was written: words, and phrases that stood in quotes."""
    goes_on: bool = False
    """Whether the last word may be the beginning of one."""
    source: str = ""


def parse_filter(text: str, clock: Callable[[], float] = time.time) -> Filter:
    """What the person means. ConfigError if it is no state, no source or no time."""
    given: dict[str, str] = {}
    words: list[str] = []
    goes_on = False
    for found in _WORD.finditer(text):
        field, phrase, plain = found.groups()
        word = plain if phrase is None else phrase
        if field:
            given[field] = word
            goes_on = False
        elif word and not _FIELD.fullmatch(word):  # that one is still being written
            words.append(word)
            goes_on = phrase is None
    state, source = _one_of(STATES, given, "state"), _one_of(SOURCES, given, "source")
    since = moment(given["since"], clock()) if given.get("since") else None
    plain = given.get("agent", ""), given.get("repo", ""), state, since, given.get("tag", "")
    return Filter(*plain, tuple(words), goes_on, source)


def _one_of(known: tuple[str, ...], given: dict[str, str], field: str) -> str:
    value = given.get(field, "")
    if value and value not in known:
        guess = did_you_mean(value, known)
        raise ConfigError(f"{value!r} is not a {field} of runs.", hint=guess or f"There are {', '.join(known)}.")
    return value


def no_such_filter(words: tuple[str, ...]) -> str:
    """What to say where nothing matches: which of the words looks like a filter, and is none. Empty if none does."""
    for word in words:
        if found := _LIKE_A_FIELD.match(word):
            name = found[1]
            known = did_you_mean(name, FIELDS) or f"There are {', '.join(FIELDS)}."
            return f"{name!r} is no filter, so {word!r} is looked for as it stands. {known}"
    return ""


def span(text: str) -> float:
    """Seconds of `90d`, `12h`, `30m` or `2w`. ConfigError if it is none of these."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise ConfigError(f"{text!r} is no span of time.", hint="Write 30m, 12h, 90d or 2w.")
    return int(found[1]) * _SECONDS[found[2]]


def moment(text: str, now: float) -> float:
    """The time that `7d`, `today`, `yesterday` or `2026-11-16` stands for. ConfigError if it is none of these."""
    if _SPAN.fullmatch(text):
        return now - span(text)
    today = datetime.fromtimestamp(now).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    if text in ("today", "yesterday"):
        return (today - timedelta(days=text == "yesterday")).timestamp()
    try:
        return datetime.fromisoformat(text).astimezone().timestamp()
    except (ValueError, OverflowError, OSError) as error:
        hint = "Write 30m, 12h, 7d, 2w, today, yesterday or a date such as 2026-11-16."
        raise ConfigError(f"{text!r} is no time.", hint=hint) from error


def match_expression(words: tuple[str, ...], *, goes_on: bool = False) -> str:
    """What FTS5 is asked for: each word or phrase as it is, none of it as FTS5's own language.

    A word that ends in `*` stands for all that begin so, and so does the last one if it `goes_on`. Empty if there is
    nothing to search for.
    """
    parts = [
        (word, word.endswith("*") or (goes_on and place == len(words) - 1))
        for place, word in enumerate(words)
        if any(unicodedata.category(character).startswith(_SIGNIFICANT) for character in word)
    ]
    return " ".join(
        '"' + word.replace('"', '""').replace("\0", " ") + '"' + ("*" if is_open else "") for word, is_open in parts
    )

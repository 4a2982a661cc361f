"""When a limit resets: out of the numbers, dates and words in which endpoints and programs tell it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime

FARTHEST = 32 * 86_400.0
"""Seconds ahead beyond which a time is a mistake: the longest limits are those of a month."""
JUST_PASSED = 60.0
"""Seconds by which a time may have passed: clocks differ, and telling it takes a while. It counts as the next one."""
_MILLISECONDS = 1e11
"""A number from which on it counts milliseconds: in seconds it would be thousands of years ahead."""
_UNIFIED = "anthropic-ratelimit-unified-reset"
_OF_A_KIND = re.compile(r"(anthropic-ratelimit-[a-z-]+)-reset")
_SAID = re.compile(r"\blimit reached\|(\d{10,13})\b")


def reset_time(said: object, now: float) -> float | None:
    """The moment that is meant, as seconds on the wall; None for one that is none, long past, or absurdly far."""
    moment = _moment(said)
    if moment is None or not math.isfinite(moment):
        return None
    moment = moment / 1000 if moment >= _MILLISECONDS else moment
    return max(moment, now + 1.0) if now - JUST_PASSED <= moment <= now + FARTHEST else None


def reset_in_headers(headers: Mapping[str, str], now: float, retry_after: float | None = None) -> float | None:
    """When the endpoint accepts requests again: as it says itself, else when everything that is used up comes back."""
    if (unified := reset_time(headers.get(_UNIFIED), now)) is not None:
        return unified
    if retry_after is not None:
        return reset_time(now + retry_after, now)
    found = {match[1]: reset_time(value, now) for name, value in headers.items() if (match := _kind(name))}
    used_up = {name: at for name, at in found.items() if headers.get(f"{name}-remaining") == "0"}
    return max((at for at in (used_up or found).values() if at is not None), default=None)


def reset_in_words(text: str, now: float) -> float | None:
    """The time that stands behind the words of an older CLI: `usage limit reached|1763300000`."""
    found = _SAID.search(text)
    return reset_time(found[1], now) if found else None


def _kind(name: str) -> re.Match[str] | None:
    return _OF_A_KIND.fullmatch(name.lower())


def _moment(said: object) -> float | None:
    if isinstance(said, bool) or not isinstance(said, int | float | str):
        return None
    try:
        return float(said)
    except ValueError:
        pass
    except OverflowError:
        return None
    try:
        date = datetime.fromisoformat(str(said).strip())
        return date.timestamp() if date.tzinfo is not None else None  # whose noon it is cannot be guessed
    except (ValueError, OverflowError, OSError):
        return None

"""Moments in words. Light: the first frame imports it."""

from __future__ import annotations

from datetime import datetime


def local_time(at: float) -> datetime | None:
    """The moment as clocks here show it; None if no calendar has it."""
    try:
        return datetime.fromtimestamp(at)  # noqa: DTZ006 - a zone is never told, and takes ten times as long
    except (OverflowError, ValueError, OSError):
        return None


def moment(at: float, now: float, *, form: str = "%H:%M", unknown: str = "never") -> str:
    """A moment as people say it: in that form, with its day if that is another one, and with its year."""
    then, today = local_time(at), local_time(now)
    if then is None or today is None:
        return unknown
    if then.date() == today.date():
        return f"{then:{form}}"
    return f"{then:%a %d %b %H:%M}" if then.year == today.year else f"{then:%d %b %Y %H:%M}"


def until(at: float, now: float) -> str:
    """A moment to come, to the second: `until 14:05:00`; one that no calendar has cannot be waited for."""
    when = moment(at, now, form="%H:%M:%S", unknown="")
    return f"until {when}" if when else "for ever"

"""Days and times of runs, as people call them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import lru_cache

from maverick_tui.runs.moments import local_time

UNKNOWN_DAY = "At no time that is known"


def day_name(at: float, today: date) -> str:
    """Today, Yesterday, Monday, or Monday, 2026-11-16."""
    moment = local_time(at)
    return UNKNOWN_DAY if moment is None else _name(moment.date(), today)


@lru_cache(1_000)
def _name(day: date, today: date) -> str:
    if day == today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    this_week = timedelta() < today - day < timedelta(days=7)
    return f"{day:%A}" if this_week else f"{day:%A}, {day:%Y-%m-%d}"


def day_begins(at: float) -> float:
    """When the day of that moment has begun; 0 if no calendar has it."""
    moment = local_time(at)
    return 0.0 if moment is None else datetime.combine(moment, time()).timestamp()


def time_text(at: float, form: str) -> str:
    """The moment in this form, as strftime has it."""
    moment = local_time(at)
    return "--:--" if moment is None else moment.strftime(form)

"""What a benchmark is: a figure, the floor it is compared with, and the gate it has to pass."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured figure. `gate` is the most it may be, `aim` is what we are after, `floor` is without us."""

    name: str
    value: float
    unit: str
    gate: float | None = None
    floor: float | None = None
    note: str = ""
    aim: float | None = None

    @property
    def is_met(self) -> bool:
        return self.gate is None or self.value <= self.gate


Benchmark = Callable[[], Iterable[Figure]]


def median(samples: Iterable[float]) -> float:
    return statistics.median(samples)

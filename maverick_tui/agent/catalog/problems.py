"""What is wrong with an agent file, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in one file; with an error the agent cannot be loaded, with a warning it can."""

    path: str
    line: int | None
    message: str
    hint: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.severity}: {self.message} {self.hint}".rstrip()

    @property
    def is_error(self) -> bool:
        """Whether it keeps the agent from being loaded."""
        return self.severity == "error"

    def to_json(self) -> dict[str, str | int | None]:
        """The same as a JSON object."""
        return {
            "path": self.path,
            "line": self.line,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
        }


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """Those that keep an agent from being loaded."""
    return [problem for problem in problems if problem.is_error]


class ProblemLog:
    """Collects the problems of one file while it is read, each once; a hostile file cannot make it grow forever."""

    MOST = 50
    LONGEST = 500

    def __init__(self, path: str, problems: Iterable[Problem] = ()) -> None:
        self._path = path
        self._problems = dict.fromkeys(problems)

    @property
    def problems(self) -> list[Problem]:
        """What was found, by line."""
        found = sorted(self._problems, key=lambda problem: problem.line or 0)
        if len(found) > self.MOST:
            rest = found[self.MOST :]
            severity: Severity = "error" if errors(rest) else "warning"
            message = f"Has {len(rest)} more problems."
            found[self.MOST :] = [Problem(self._path, rest[0].line, message, "Solve the ones above first.", severity)]
        return found

    @property
    def is_full(self) -> bool:
        """Whether more problems are only counted, so that no hint is needed for them."""
        return len(self._problems) >= self.MOST

    def error(self, line: int | None, message: str, hint: str = "") -> None:
        """Something that keeps the agent from being loaded."""
        self._add(line, message, hint, "error")

    def warning(self, line: int | None, message: str, hint: str = "") -> None:
        """Something that the author should know."""
        self._add(line, message, hint, "warning")

    def _add(self, line: int | None, message: str, hint: str, severity: Severity) -> None:
        if len(message) > self.LONGEST:
            message = f"{message[: self.LONGEST]}..."
        self._problems[Problem(self._path, line, message, hint, severity)] = None

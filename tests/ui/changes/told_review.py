"""A review that was told what has changed: for what the screen makes of it, whatever git has to say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from maverick_tui.exceptions import ConfigError
from maverick_tui.markup.hunks import hunks_between
from maverick_tui.review.kinds import START, Author, CallInfo, ChangedFile, ChangedHunk, Part, Scope, Texts, TurnChanges
from maverick_tui.review.run_review import LastUndo, RunReview
from maverick_tui.snapshots.changes import Status
from maverick_tui.snapshots.planning import Step
from maverick_tui.snapshots.snapshot import Snapshot
from maverick_tui.snapshots.undoing import Undone

PROMPT = "Round the total once, at the end"
EDIT = Author("call", "r", "the run", 1, PROMPT, "call-1", "Edit", "shop/cart.py")
BASH = Author("call", "r", "the run", 2, "Format all of it", "call-2", "Bash", "ruff format shop")
OTHER = Author("run", "b", "Translate the README", 1, "Translate it", "call-9", "Write", "README.md")
YOU = Author("you")
_NOTHING = Snapshot("0" * 40, (), (0o644, 0o755))


class ToldReview:
    """Files by their paths, as they were and as they are; who has written them is told, too."""

    def __init__(
        self, files: Mapping[str, tuple[bytes | None, bytes | None]], authors: Mapping[str, tuple[Author, ...]]
    ) -> None:
        self.contents = dict(files)
        self.authors = dict(authors)
        self.root = Path("/nowhere/shop")
        self.untracked = ""
        self.turns = [
            TurnChanges(1, PROMPT, (CallInfo("call-1", "Edit", "shop/cart.py"),)),
            TurnChanges(2, "Format all of it", (CallInfo("call-2", "Bash", "ruff format shop"),)),
        ]
        self.asked: list[Scope] = []
        self.refused: dict[str, str] = {}
        self.parts: dict[str, list[ChangedHunk]] = {}
        """The hunks of each file that were wanted last."""
        self.about: dict[str, dict[str, object]] = {}
        """What else is to be told of a file."""
        self.taken: dict[str, tuple[bytes | None, bytes | None]] = {}
        self.taken_back: frozenset[str] = frozenset()
        self.redone: LastUndo | None = None
        """What was given back, as a person was shown it."""
        self.cut: set[str] = set()
        """Files with more lines than are shown."""

    def as_review(self) -> RunReview:
        """As the screen knows it."""
        return cast("RunReview", self)

    def refresh(self) -> bool:
        return True

    def files(self, scope: Scope = START, *, with_others: bool = False, is_fresh: bool = True) -> list[ChangedFile]:
        self.asked.append(scope)
        found = []
        for path, (before, after) in sorted(self.contents.items()):
            authors = self.authors.get(path, (EDIT,))
            if before == after or not (with_others or any(one.kind == "call" for one in authors)):
                continue
            if scope.kind == "call" and all(one.call != scope.call for one in authors):
                continue
            status: Status = "added" if before is None else "deleted" if after is None else "changed"
            lines = [line for one in self._hunks(path) for line in one.hunk.lines]
            added, deleted = (sum(line[0] == sign for line in lines) for sign in "+-")
            is_binary = b"\0" in (before or b"") + (after or b"")
            told = ChangedFile(path, status, "", added, deleted, is_binary, None, authors)
            for name, value in self.about.get(path, {}).items():
                object.__setattr__(told, name, value)
            found.append(told)
        return found

    def hunks(self, scope: Scope, path: str, context: int = 3) -> list[ChangedHunk]:
        return self._hunks(path)

    def _hunks(self, path: str) -> list[ChangedHunk]:
        before, after = (one or b"" for one in self.contents[path])
        if b"\0" in before + after:
            return []
        authors = self.authors.get(path, (EDIT,))
        found = []
        for number, hunk in enumerate(hunks_between(before.decode(), after.decode())):
            own = authors if len(authors) < 2 or number else authors[:1]
            by_line = [() if line[0] == " " else own[at % len(own) :][:1] for at, line in enumerate(hunk.lines)]
            found.append(ChangedHunk(hunk, (), own, tuple(by_line)))
        if found and path in self.cut:
            found[-1] = replace(found[-1], hunk=replace(found[-1].hunk, is_cut=True))
        return found

    def part(self, scope: Scope, path: str, hunks: Sequence[ChangedHunk]) -> Part:
        self.parts[path] = list(hunks)
        return Part(*self.contents[path], "100644")

    def texts(self, scope: Scope, path: str) -> Texts:
        before, after = self.contents[path]
        return Texts(before or b"", after or b"")

    def plan(self, scope: Scope = START, paths: Collection[str] | None = None) -> list[Step]:
        wanted = [path for path in sorted(self.contents) if paths is None or path in paths]
        return [
            Step(path, "delete" if self.contents[path][0] is None else "write", self.refused.get(path, ""))
            for path in wanted
        ]

    def undo(
        self, scope: Scope = START, paths: Collection[str] | None = None, *, shown: Sequence[Step] | None = None
    ) -> Undone:
        steps = self.plan(scope, paths)
        done = tuple(step for step in steps if not step.why_not)
        self.taken = {step.path: self.contents[step.path] for step in done}
        for step in done:
            before = self.contents[step.path][0]
            self.contents[step.path] = (before, before)
        return Undone(_NOTHING, _NOTHING, done, tuple(step for step in steps if step.why_not))

    def plan_redo(self) -> LastUndo:
        if not self.taken:
            raise ConfigError("Nothing was taken back.")
        return LastUndo(tuple(Step(path, "write", self.refused.get(path, "")) for path in self.taken), 0.0)

    def redo(self, shown: LastUndo) -> Undone:
        self.redone = shown
        self.contents |= {path: self.taken[path] for path in shown.paths}
        self.taken_back = frozenset()
        return Undone(_NOTHING, _NOTHING, shown.steps, ())

    def plan_rejection(self, scope: Scope, path: str, hunks: Sequence[ChangedHunk]) -> list[Step]:
        return self.plan(scope, [path])

    def reject(self, scope: Scope, path: str, hunks: Sequence[ChangedHunk]) -> Undone:
        self.taken_back = frozenset({_NOTHING.id})
        return self.undo(scope, [path])


CART = b'''"""The cart."""

from decimal import Decimal


class Cart:
    """Lines, and what they cost together."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines

    def total(self) -> Decimal:
        """What all lines cost together."""
        return sum(round(line.price * line.count, 2) for line in self.lines)

    def discount(self, percent: int) -> Decimal:
        return self.total() * percent / 100

    def is_empty(self) -> bool:
        return not self.lines


def cart_of(lines: list[Line]) -> Cart:
    return Cart(lines)


def describe(cart: Cart) -> str:
    return f"{len(cart.lines)} lines, {cart.total()} in all"
'''
CART_AFTER = (
    CART.replace(
        b"        return sum(round(line.price * line.count, 2) for line in self.lines)\n",
        b"        # Rounded once: each line of its own would lose up to half a cent.\n"
        b"        return round(sum(line.price * line.count for line in self.lines), 2)\n",
    )
    .replace(b"percent: int) -> Decimal:\n", b"percent: int) -> Decimal:\n        if not 0 <= percent <= 100:\n"
             b'            raise ValueError(f"{percent} is no share of a price.")\n')
    .replace(b"{len(cart.lines)} lines, {cart", b"{len(cart.lines)} items, {cart")
)  # fmt: skip
TESTS = b"""from shop.cart import Cart


def test_the_total_is_rounded_once() -> None:
    assert Cart([line("0.333")] * 3).total() == 1
"""
SHOP = {
    "README.md": (b"# Shop\n\nA shop.\n", b"# Laden\n\nEin Laden.\n"),
    "shop/cart.py": (CART, CART_AFTER),
    "shop/invoice.py": (b"def rounded(x):\n    return round(x, 2)\n", None),
    "shop/logo.png": (b"\x89PNG\0\0", b"\x89PNG\0\0\0\0more"),
    "tests/test_cart.py": (None, TESTS),
}
WHOSE = {
    "README.md": (OTHER,),
    "shop/cart.py": (EDIT, BASH, YOU),
    "shop/invoice.py": (BASH,),
    "shop/logo.png": (BASH,),
    "tests/test_cart.py": (Author("call", "r", "the run", 1, PROMPT, "call-3", "Write", "tests/test_cart.py"),),
}


def shop() -> ToldReview:
    """A small change as an agent makes it, with all that a screen has to show."""
    return ToldReview(SHOP, WHOSE)

"""Who somebody is that was at work in a folder: as an author, and in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from maverick_tui.review.chain import Chain
from maverick_tui.review.kinds import YOU, Author, Authors
from maverick_tui.snapshots.attribution import Writer

_SHOWN = 60
_NOT_KEPT = "not kept"


class Names:
    """Knows the runs of a folder; one of them is the one that is looked at."""

    def __init__(self, chain: Chain, run_id: str = "") -> None:
        self._accounts = chain.accounts
        self._run_id = run_id
        self._titles: dict[str, str] = {}

    def author(self, writer: Writer) -> Author:
        """Who it is; whoever takes something back is a person."""
        run_id, _, call_id = writer.id.partition("/")
        if writer.is_person:
            return YOU
        if (account := self._accounts.get(run_id)) is None:
            return Author("run", run_id, _NOT_KEPT)
        call = account.calls.get(call_id)
        kind: Literal["call", "run"] = "call" if run_id == self._run_id else "run"
        title = self._title(run_id)
        if call is None:
            return Author(kind, run_id, title, call=call_id)
        prompt = account.prompts.get(call.turn, "")
        return Author(kind, run_id, title, call.turn, prompt, call_id, call.tool, call.about)

    def authors(self, writers: Iterable[Writer]) -> Authors:
        """All of them, each once."""
        return tuple(dict.fromkeys(map(self.author, writers)))

    def words(self, writers: Iterable[Writer]) -> str:
        """All of them in a few words: `you`, `the run 7f3a00 (Fix the tests)`, `its call Bash: make`."""
        return " or ".join(dict.fromkeys(map(_words, self.authors(writers))))

    def _title(self, run_id: str) -> str:
        if run_id not in self._titles:
            self._titles[run_id] = self._accounts[run_id].title
        return self._titles[run_id]


def _words(author: Author) -> str:
    if author.kind == "you":
        return "you"
    if author.kind == "call":
        return f"its call {author.tool}: {_cut(author.about)}" if author.tool else "another call of it"
    return f"the run {author.run_id}" + (f" ({_cut(author.run)})" if author.run else "")


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"

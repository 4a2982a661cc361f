"""`maverick blame`: which run, prompt and call has written a line."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maverick_tui.cli.runs import AsJson, print_json

if TYPE_CHECKING:
    from maverick_tui.cli.layout import Paper
    from maverick_tui.review.blame import BlamedLine
    from maverick_tui.review.kinds import Author

_PLACE = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?", re.DOTALL)
_RUN, _LABEL = 8, 8
_COLUMNS = ((140, 28, 32), (100, 24, 20), (0, 20, 0))
"""How wide call and prompt are in a terminal of at least so many columns."""
_SAME = "│"
_LONGEST = 300


def blame(
    place: Annotated[str, typer.Argument(metavar="FILE[:LINE]", help="A file, one line of it, or some: FILE:10-20.")],
    as_json: AsJson = False,
) -> None:
    """Print which run, prompt and call has written each line of a file; of one line, all that is known.

    That is known by the snapshots of runs, also after a commit, a merge of a run's worktree, a rename, or a change of
    the branch. "you" is whoever works in the folder and is no run; a line without anybody was there before any run
    that is kept. If several were at work at the same time, each of them is named.

    JSON: [{number, text, commit, at, authors: [{kind, run_id, run, turn, prompt, call, tool, about}]}]; kind: run, you.
    """
    from maverick_tui.review.blame import blame as blamed

    file, first, last = _parsed(place)
    lines = blamed(file, first, last)
    if as_json:
        print_json([_as_data(one) for one in lines])
        return
    from maverick_tui.cli.layout import Paper, terminal_width

    paper = Paper(sys.stdout, terminal_width())
    if first == last:
        _print_line(paper, lines[0])
    else:
        _print_table(paper, lines)


def _as_data(line: BlamedLine) -> dict[str, Any]:
    text, authors = line.text.decode(errors="replace"), [author._asdict() for author in line.authors]
    return {"number": line.number, "text": text, "authors": authors, "at": line.at, "commit": line.commit}


def _parsed(place: str) -> tuple[Path, int, int | None]:
    """The file and the lines that are named; a name may itself end like that."""
    found = None if Path(place).exists() else _PLACE.fullmatch(place)
    if found is None:
        return Path(place), 1, None
    return Path(found[1]), int(found[2]), int(found[3] or found[2])


def _print_table(paper: Paper, lines: list[BlamedLine]) -> None:
    from maverick_tui.cli.layout import cut, pad

    wide = len(str(lines[-1].number)) if lines else 1
    widths = _RUN, *next(columns for least, *columns in _COLUMNS if paper.width >= least)
    before: object = None
    for one in lines:
        author = one.authors[0] if one.authors else None
        # What is the same as in the line above is not said again.
        cells = _cells(author, len(one.authors) - 1) if one.authors != before or author is None else (_SAME, "", "")
        before = one.authors
        run, call, prompt = (
            pad(cut(text, width), width) + "  " if width else "" for text, width in zip(cells, widths, strict=True)
        )
        text = one.shown.removesuffix("\r").replace("\t", "    ")
        paper.line(f"{one.number:>{wide}}  ", (run, "cyan"), call, (prompt, "dim"), text)


def _cells(author: Author | None, others: int) -> tuple[str, str, str]:
    if author is None or not author.run_id:
        return ("you" if author is not None else "", "", "")
    more = f" (or {others} more)" if others else ""
    return author.run_id[:_RUN], f"{author.turn}. {author.tool} {author.about}{more}", author.prompt


def _print_line(paper: Paper, line: BlamedLine) -> None:
    """All that is known of one line."""
    from datetime import datetime

    from maverick_tui.cli.layout import cut
    from maverick_tui.inert import one_line
    from maverick_tui.review.blame import arguments_of

    def tell(label: str, text: str) -> None:
        paper.line((label.ljust(_LABEL), "dim"), cut(one_line(text), _LONGEST))

    tell("line", f"{line.number}: {line.shown}")
    if line.commit:
        tell("commit", line.commit)
    if not line.authors:
        tell("by", "nobody that is known: it was there before any run that is kept")
    for number, author in enumerate(line.authors):
        if number:
            tell("or", "")
        if not author.run_id:
            tell("by", "you")
            continue
        tell("run", f"{author.run_id}  {author.run}")
        if line.at:
            tell("when", datetime.fromtimestamp(line.at).astimezone().strftime("%Y-%m-%d %H:%M:%S"))
        tell("turn", f"{author.turn}  {author.prompt}")
        tell("call", f"{author.tool}  {author.about}")
        for name, value in arguments_of(author).items():
            tell("", f"{name}: {value}")

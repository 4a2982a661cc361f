"""How the changes of a run are laid out for a terminal, and written for a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from maverick_tui.cli.layout import Paper, count, display_path, pad, terminal_width
from maverick_tui.inert import inert, one_line
from maverick_tui.masking.redact import redact
from maverick_tui.review.kinds import Author, Authors, ChangedFile, ChangedHunk
from maverick_tui.review.run_review import RunReview
from maverick_tui.review.sums import sum_of
from maverick_tui.snapshots.planning import Step

_SIGNS = {"added": "A", "changed": "M", "deleted": "D", "renamed": "R", "mode": "P", "type": "T"}
_DOES = {
    "write": ("restore", "restored"),
    "delete": ("delete", "deleted"),
    "make folder": ("make", "made"),
    "remove folder": ("remove", "removed"),
}
_WIDEST_VERB = 8
_STYLES = {b"+": "green", b"-": "red", b"@": "cyan"}


def shown(path: str) -> str:
    """A path for a terminal; bytes of it that are no text have a stand-in."""
    return one_line(os.fsencode(path).decode(errors="replace"))


def print_changes(review: RunReview, files: Sequence[ChangedFile], *, is_all: bool) -> None:
    """Which files have changed: on standard output if that is all that is printed, else a summary on the other one."""
    paper = Paper(sys.stdout if is_all else sys.stderr, terminal_width())
    counted, added, deleted, in_caches = sum_of(review.root, files)
    words = "It has changed nothing that still stands"
    if counted:
        beside = f", and {in_caches} in caches" if in_caches else ""
        words = f"+{added} -{deleted} in {count(counted, 'file')}{beside}"
    elif in_caches:
        words = f"It has changed nothing but {count(in_caches, 'file')} in caches"
    for one in files if is_all else ():
        lines = one.not_kept or ("binary" if one.is_binary else f"+{one.added} -{one.deleted}")
        paper.line(f"{_SIGNS[one.status]} ", shown(one.path), (_beside(one, lines), "dim"))
    folder = display_path(str(review.root))
    paper.line(words, (f"  {folder}" if folder != "." else "", "dim"))
    if review.untracked:
        paper.line((f"Not all of it is known: changes are not tracked any more, because {review.untracked}.", "yellow"))
    if not is_all:
        for one in files:
            if one.not_kept:
                paper.line((f"{shown(one.path)} is not in the patch, because {one.not_kept}.", "yellow"))
            if others := _others(one.authors):
                paper.line((f"{shown(one.path)} has also been changed by {others}.", "yellow"))


def _beside(one: ChangedFile, lines: str) -> str:
    told = [lines]
    if one.was:
        told.append(f"was {shown(one.was)}")
    if one.permissions is not None:
        told.append("permissions {:o}, were {:o}".format(*reversed(one.permissions)))
    if others := _others(one.authors):
        told.append(f"also by {others}")
    return "  " + ", ".join(told)


def _others(authors: Authors) -> str:
    """Who else has changed a file."""
    return " and ".join(dict.fromkeys(_name(one) for one in authors if one.kind != "call"))


def _name(author: Author) -> str:
    return "you" if author.kind == "you" else f"the run {author.run_id}"


def print_patches(patches: Iterable[bytes]) -> None:
    """As they are, for a program; for a terminal inert, masked and with colours."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        for patch in patches:
            sys.stdout.buffer.write(patch)
        sys.stdout.buffer.flush()
        return
    paper = Paper(sys.stdout, terminal_width())
    for patch in patches:
        is_head = True
        text, binary, _ = patch.decode(errors="replace").partition("\nGIT binary patch\n")
        for line in redact(text).removesuffix("\n").split("\n"):
            is_head = line.startswith("diff --git ") or (is_head and not line.startswith("@@"))
            style = "bold" if is_head else _STYLES.get(line[:1].encode(), "")
            paper.write(paper.dress(inert(line.replace("\t", "    ")), *([style] if style else [])) + "\n")
        if binary:
            paper.line(("It is binary: piped, the patch has it.", "dim"))


def print_steps(review: RunReview, steps: Sequence[Step], *, is_to_be: bool) -> None:
    """What will become of every path, or has; and what is left as it is, with the reason."""
    paper = Paper(sys.stderr if is_to_be else sys.stdout, terminal_width())
    if not steps:
        where = display_path(str(review.root))
        paper.line("There is nothing to take back.", ("" if where == "." else f"  {where}", "dim"))
    for step in steps:
        verb = "leave" if is_to_be else "left"
        if not step.why_not:
            verb = _DOES[step.does][not is_to_be]
        why = f"  {shown(step.why_not)}" if step.why_not else ""
        style = "yellow" if why else "red" if step.does == "delete" else ""
        name = shown(step.path) + ("/" if "folder" in step.does else "")
        paper.line((pad(verb, _WIDEST_VERB), *([style] if style else [])), f"  {name}", (why, "dim"))


def as_data(file: ChangedFile, hunks: Sequence[ChangedHunk]) -> dict[str, Any]:
    """A file as JSON has it."""
    return {
        "path": file.path,
        "was": file.was,
        "status": file.status,
        "added": file.added,
        "deleted": file.deleted,
        "is_binary": file.is_binary,
        "permissions": file.permissions,
        "not_kept": file.not_kept,
        "authors": [one._asdict() for one in file.authors],
        "hunks": [
            {
                "old_start": one.hunk.old_start,
                "new_start": one.hunk.new_start,
                "lines": one.hunk.lines,
                "authors": [author._asdict() for author in one.authors],
            }
            for one in hunks
        ],
    }

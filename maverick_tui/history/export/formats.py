"""What a run can be exported as, and how each is made. The command line knows its names without the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from maverick_tui.exceptions import ConfigError

if TYPE_CHECKING:
    from maverick_tui.history.export.kept import KeptRun
    from maverick_tui.history.telling import Printer

PrinterFor = Callable[[TextIO, int, "Path | None"], "Printer"]
"""Makes what prints a run on a stream, in so many columns, by paths in that folder: recordings are made of it."""


class Format(StrEnum):
    """By the suffix of its file."""

    MD = "md"
    HTML = "html"
    JSONL = "jsonl"
    CAST = "cast"


def by_suffix(file: Path) -> Format | None:
    """The format that a file's name asks for."""
    suffix = file.suffix.removeprefix(".").lower()
    return next((form for form in Format if form == suffix), None)


def format_for(file: Path) -> Format:
    """The same, and Markdown for a name that asks for nothing. ConfigError if it asks for what there is not."""
    if (form := by_suffix(file)) is None and file.suffix:
        known = ", ".join(f".{one}" for one in Format)
        raise ConfigError(
            f"{file.name} cannot be written: no run is exported as {file.suffix}.",
            hint=f"Name a file that ends in {known}, or say the format.",
        )
    return form or Format.MD


def pieces(kept: KeptRun, form: Format, printer_for: PrinterFor | None) -> Iterator[str]:
    """The run in that format, piece by piece. ConfigError for a recording that nobody prints."""
    if form is Format.MD:
        from maverick_tui.history.export.markdown import kept_as_markdown

        return iter((kept_as_markdown(kept),))
    if form is Format.HTML:
        from maverick_tui.history.export.page import as_page

        return as_page(kept)
    if form is Format.JSONL:
        from maverick_tui.history.export.jsonl import as_jsonl

        return as_jsonl(kept)
    if printer_for is None:
        raise ConfigError("There is nothing here to make a recording with.", hint="Use `maverick runs export`.")
    from maverick_tui.history.export.cast import as_cast

    cwd = Path(kept.store.loaded.cwd) if kept.store.loaded else None
    return as_cast(kept, lambda stream, width: printer_for(stream, width, cwd))

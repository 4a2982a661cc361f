"""`maverick runs export`: a kept run for others to read, as a file or on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.cli.asking import is_anybody_there, says_yes
from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.cli.launching import printer_for
from maverick_tui.history.export.formats import Format, format_for, pieces

STDOUT = Path("-")
_NEEDS_A_FILE = {Format.HTML: "A page", Format.CAST: "A recording"}


def export_run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or what is unique of it.")],
    wanted: Annotated[
        Format | None,
        typer.Option(
            "--format", "-f", help="Markdown, a page, lines of events, or an asciicast; else as FILE ends, or md."
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write; - is standard output.")
    ] = STDOUT,
    raw: Annotated[bool, typer.Option("--raw", help="Do not look for secrets once more; asks first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Say in JSON what was written; needs a FILE.")] = False,
) -> None:
    """Export a run that is kept, also one that goes on or was interrupted, which the export then says.

    Secrets are masked when a run is kept, and once more here, by what is known by now. --raw leaves out the second
    time; what was masked in the journal stays masked. A file is written as a whole or not at all, and is for you alone
    to read.

    JSON: {run_id, format, path, bytes, state, raw}
    """
    form = wanted or format_for(output)
    _check(form, output, as_json=as_json)
    from maverick_tui.history.export.kept import open_kept
    from maverick_tui.journal.folders import find_run

    run_id = find_run(run)
    if raw and not yes:
        _ask(
            "What was masked when the run was kept stays masked, but secrets that were not known then may be in it.",
            "Export it so?",
        )
    target = None if output == STDOUT else _target(output, yes=yes)
    kept = open_kept(run_id, is_raw=raw)
    if kept.note:
        typer.echo(f"maverick: {kept.note}", err=True)
    made = pieces(kept, form, printer_for)
    if target is None:
        _print(made)
        return
    size = _write(target, made)
    if as_json:
        told = {"run_id": run_id, "format": form, "path": str(target), "bytes": size, "state": kept.state, "raw": raw}
        typer.echo(json.dumps(told, indent=2))
    else:
        from maverick_tui.cli.layout import display_path

        typer.echo(f"{display_path(str(target))}  {size:,} bytes")


def _check(form: Format, output: Path, *, as_json: bool) -> None:
    if output != STDOUT:
        return
    if as_json:
        raise typer.BadParameter("Standard output is the export itself: name a file with -o.", param_hint="--json")
    if form in _NEEDS_A_FILE and sys.stdout.isatty():
        raise typer.BadParameter(
            f"{_NEEDS_A_FILE[form]} is nothing for a terminal: name a file with -o, or pipe it.", param_hint="--format"
        )


def _ask(what: str, question: str) -> None:
    """Return if a person says yes."""
    from maverick_tui.exceptions import MaverickError

    if not is_anybody_there():
        raise MaverickError(f"{what} There is nobody to ask.", hint="If that is what you want, add --yes.")
    if not says_yes(f"{what} {question}"):
        raise typer.Exit(FAILED)


def _target(output: Path, *, yes: bool) -> Path:
    """The file to write, once it is clear that it may be."""
    from maverick_tui.cli.layout import display_path
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.whole_files import in_the_way, is_no_file
    from maverick_tui.inert import inert

    target = output.expanduser().absolute()
    shown = display_path(str(target))
    if target.is_dir():
        raise ConfigError(f"{shown} is a folder.", path=str(target), hint="Name a file in it.")
    if not target.parent.is_dir():
        missing = display_path(str(target.parent))
        raise ConfigError(f"There is no folder {missing} to write to.", path=str(target), hint="Make it first.")
    if not yes and (what := in_the_way(target)):
        _ask(f"{shown} {inert(what)}.", "Write to it?" if is_no_file(target) else "Replace it?")
    return target


def _write(target: Path, made: Iterable[str]) -> int:
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.whole_files import write_whole

    try:
        return write_whole(target, made)
    except OSError as error:
        from maverick_tui.cli.layout import display_path

        raise ConfigError(
            f"The export cannot be written to {display_path(str(target))}: {error.strerror or error}.",
            path=str(target),
            hint="Choose another file with -o.",
        ) from error


def _print(made: Iterable[str]) -> None:
    """In UTF-8, whatever the locale, unless it is a terminal that shows it."""
    for piece in made:
        if sys.stdout.isatty():
            sys.stdout.write(piece)
        else:
            sys.stdout.buffer.write(piece.encode("utf-8", "replace"))
    sys.stdout.flush()

"""`maverick runs`: the runs that are kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maverick_tui.cli.asking import is_anybody_there, says_yes
from maverick_tui.cli.exit_codes import EPILOG, FAILED

if TYPE_CHECKING:
    from maverick_tui.history.filters import Filter
    from maverick_tui.history.index import RunIndex
    from maverick_tui.history.listed import ListedRun

runs_app = typer.Typer(epilog=EPILOG, rich_markup_mode=None)

_FILTERS = (
    "agent:NAME repo:NAME state:running|done|failed|interrupted|ended|unread since:7d|today|2026-11-16 tag:TAG"
    " source:maverick|claude, words."
)
_SEARCHES_FOR = 5.0
"""Seconds that a search may read sessions of Claude Code that are new to it."""
_SHOWN = 30
"""Runs that are listed if nobody says how many."""


def complete_run(incomplete: str) -> list[str]:
    """The ids that begin so, for completion in the shell."""
    from maverick_tui.journal.folders import listed_ids

    return listed_ids(incomplete)


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; errors are text on stderr.")]
RunId = Annotated[
    str, typer.Argument(metavar="RUN", help="Its id, or as much of it as is unique.", autocompletion=complete_run)
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@runs_app.callback(invoke_without_command=True)
def runs(context: typer.Context) -> None:
    """List, search, export and remove the runs that are kept; see and take back what they have changed."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@runs_app.command("list", short_help="List runs, newest first.", epilog=EPILOG)
def list_runs(
    filters: Annotated[list[str] | None, typer.Argument(metavar="FILTER", help=_FILTERS)] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=0, help=f"At most so many; 0 is all. {_SHOWN}, or all as JSON.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the runs that are kept, newest first, those that are alive on top; and sessions of Claude Code.

    JSON: [{run_id, title, state, name, agent, first_prompt, folder, repository, branch, engine, model, started_at,
    last_at, ended_at, turns, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, is_estimate,
    events, problem, forked_from, forked_turn, cut, waiting, duration, tags, files, source, journal}], times in
    seconds since 1970; cut: what has ended it before its time, if anything did.
    """
    from maverick_tui.cli.runs_text import print_list
    from maverick_tui.history.filters import no_such_filter

    wanted = _filter(filters)
    most = (None if as_json else _SHOWN) if limit is None else limit or None
    with _index() as index:
        found = index.runs(wanted, most)
        if as_json:
            print_json([run.to_json() for run in found])
        else:
            total, doubt = index.count(wanted), no_such_filter(wanted.words)
            left_out = _left_out(index, wanted, found) if total > len(found) else []
            print_list(found, total, left_out, is_filtered=bool(filters), doubt=doubt)


@runs_app.command("show", short_help="Show one run, turn by turn.", epilog=EPILOG)
def show_run(run: RunId, as_json: AsJson = False) -> None:
    """Show what a run was, and what came of each of its turns.

    Its files are all that it has changed, by commands as well; `maverick runs diff` tells what of that still stands.

    JSON: as `list` has it, with more_files, of how many more only the number is known, and "turns_in_short": [{turn,
    number, offset, started_at, origin, prompt, answer, ended_at, outcome, failure, calls, tokens, cost_usd,
    is_estimate, model}]; number is the event that the turn begins with.
    """
    from dataclasses import asdict

    from maverick_tui.cli.runs_text import print_run
    from maverick_tui.journal.folders import find_run
    from maverick_tui.review.files_of_run import FilesOfRun, files_of_run

    run_id = find_run(run)
    with _index() as index:
        turns, found = index.turns(run_id), index.run(run_id)
    files = FilesOfRun(found.files)
    if not found.is_foreign:
        files = files_of_run(run_id, found.about.folder, found.files)
    if as_json:
        data = {**found.to_json(), "files": files.paths, "more_files": files.more}
        print_json({**data, "turns_in_short": [asdict(turn) for turn in turns]})
    else:
        print_run(found, turns, files)


@runs_app.command("search", short_help="Search in everything that was said and done.", epilog=EPILOG)
def search_runs(
    words: Annotated[list[str], typer.Argument(metavar="WORD", help=f"What to look for; also {_FILTERS}")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="At most so many places.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Search prompts, answers, thoughts, and what tools were given and have returned; the best places first.

    All words have to be there. '"an exact phrase"' is found as it is, and a beginning* as any word that begins so.

    JSON: [{run_id, event, turn, kind, snippet, matches}], matches are [start, end] in the snippet.
    """
    from maverick_tui.cli.runs_text import print_hits, progress

    wanted = _filter(words)
    with _index() as index:
        index.read_sessions(_SEARCHES_FOR, on_progress=progress())
        hits = index.search(wanted, limit)
        left = index.unread_sessions
        if as_json:
            print_json([hit.to_json() for hit in hits])
        else:
            print_hits(hits, {run_id: index.run(run_id) for run_id in {hit.run_id for hit in hits}})
    if left:
        from maverick_tui.cli.layout import count

        what = f"{count(left, 'session')} of Claude Code {'is' if left == 1 else 'are'} still to be read"
        typer.echo(f"maverick: {what}. Search again to go on.", err=True)


@runs_app.command(
    "tag",
    short_help="Give a run tags, or take them away.",
    epilog=EPILOG,
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
def tag_run(
    run: RunId,
    tags: Annotated[list[str] | None, typer.Argument(metavar="+TAG|-TAG", help="+a adds, -a removes.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give a run tags (+a), or take them away (-a); without any, print those that it has.

    JSON: {"run_id": ..., "tags": [...]}
    """
    from maverick_tui.history import labels
    from maverick_tui.inert import one_line
    from maverick_tui.journal.folders import find_run, journal_of

    run_id = find_run(run)
    for tag in tags or ():
        if tag[:1] not in ("+", "-") or len(tag) < 2:
            words = one_line(f"Write +{tag} to add the tag, or -{tag} to remove it.")
            raise typer.BadParameter(words, param_hint=repr(tag))
    if tags:
        add = [tag[1:] for tag in tags if tag.startswith("+")]
        now = labels.tag_run(run_id, add, [tag[1:] for tag in tags if tag.startswith("-")])
    else:
        now = labels.read_labels(journal_of(run_id).parent)
    if as_json:
        print_json({"run_id": run_id, "tags": now.tags})
    else:
        typer.echo(" ".join(f"#{one_line(tag)}" for tag in now.tags) or "It has no tags.")


@runs_app.command("delete", short_help="Remove runs for good.", epilog=EPILOG)
def delete_runs(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN", help="Ids, or their beginnings.", autocompletion=complete_run)
    ],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Remove runs for good; one that is alive, or a session of Claude Code, is refused.

    JSON: {"removed": [ids]}
    """
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.journal.folders import find_run, refuse_foreign

    ids = list(dict.fromkeys(map(find_run, runs)))
    with _index() as index:
        found = [index.run(run_id) for run_id in ids]
    if live := [run.run_id for run in found if run.is_live]:
        raise ConfigError(
            f"{' and '.join(live)} cannot be removed: a process is still writing to it.",
            hint="Close the run first, or end it with `maverick stop`.",
        )
    for run in found:
        refuse_foreign(run.run_id)
    _remove(found, yes=yes, as_json=as_json)


@runs_app.command("prune", short_help="Remove old runs for good.", epilog=EPILOG)
def prune_runs(
    older_than: Annotated[str, typer.Option("--older-than", metavar="SPAN", help="90d, 12h or 2w since the end.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Show the runs in which nothing has happened for so long, and remove them for good if you say so.

    Nothing is ever removed by itself. JSON: {"removed": [ids]}; without --yes {"would_remove": [ids]}, and nothing
    is removed.
    """
    import time

    from maverick_tui.history.filters import Filter, span

    until = time.time() - span(older_than)
    with _index() as index:
        old = [run for run in index.runs(Filter(source="maverick")) if run.about.last_at < until and not run.is_live]
    if as_json and not yes:
        print_json({"would_remove": [run.run_id for run in old]})
    elif not old and not as_json:
        typer.echo("No run is that old.")
    else:
        _remove(old, yes=yes, as_json=as_json)


@runs_app.command("reindex", short_help="Make the index of all runs anew.", epilog=EPILOG)
def reindex(as_json: AsJson = False) -> None:
    """Make the index of all runs anew from their journals; names and tags stay.

    JSON: {runs, events, seconds}
    """
    import time

    from maverick_tui.cli.layout import count
    from maverick_tui.cli.runs_text import progress
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.database import index_file

    began = time.perf_counter()
    with _index(is_new=True) as index:
        if index.is_in_memory:
            raise ConfigError(
                f"The index {index_file()} cannot be written.",
                hint="Make the folder writable, or wait until no other process writes; runs are listed without it.",
            )
        index.read_sessions(on_progress=progress())
        found = index.runs()
    took, events = time.perf_counter() - began, sum(run.about.events for run in found)
    if as_json:
        print_json({"runs": len(found), "events": events, "seconds": round(took, 3)})
    else:
        typer.echo(f"{count(len(found), 'run')}, {events:,} events in {took:.1f} s.")


@runs_app.command("path", short_help="Print where a run is kept.", epilog=EPILOG)
def path(run: RunId) -> None:
    """Print the journal of a run, or the file of a session; its id may be shortened to what is unique."""
    from maverick_tui.history.reading import file_of
    from maverick_tui.journal.folders import find_run

    typer.echo(file_of(find_run(run)))


def _index(*, is_new: bool = False) -> RunIndex:
    """The index, up to date."""
    from maverick_tui.cli.runs_text import progress
    from maverick_tui.history.index import RunIndex

    return RunIndex(is_new=is_new, on_progress=progress())


def _left_out(index: RunIndex, wanted: Filter, listed: list[ListedRun]) -> list[ListedRun]:
    """Runs of the day with which a list ends that are not in it; perhaps more than those."""
    from dataclasses import replace

    from maverick_tui.history.days import day_begins

    last, ids = listed[-1], {run.run_id for run in listed}
    since = wanted.since if last.is_live else max(wanted.since or 0.0, day_begins(last.about.last_at))
    return [run for run in index.runs(replace(wanted, since=since)) if run.run_id not in ids]


def _filter(words: list[str] | None) -> Filter:
    from dataclasses import replace

    from maverick_tui.history.filters import parse_filter

    return replace(parse_filter(" ".join(words or ())), goes_on=False)  # nobody is still typing


def _remove(found: list[ListedRun], *, yes: bool, as_json: bool) -> None:
    """Show what is to go, ask, and remove it."""
    from maverick_tui.cli.layout import count
    from maverick_tui.cli.runs_text import print_list
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.journal.claude_sessions import session_file
    from maverick_tui.journal.folders import delete_run
    from maverick_tui.review.removing import release_left, release_snapshots

    if not as_json:
        print_list(found, len(found), is_filtered=True)
    size = sum(run.size for run in found)
    if not yes:
        _ask(f"Remove {count(len(found), 'run')} ({size / 1e6:.1f} MB) for good?")
    removed: list[str] = []
    run_id = ""
    try:
        for run_id, why in ((run.run_id, run.why_it_stays) for run in found):
            if why:
                typer.echo(f"maverick: The run {run_id} was kept: {why}.", err=True)
            else:
                delete_run(run_id)
                removed.append(run_id)
    except OSError as error:
        raise ConfigError(
            f"The run {run_id} cannot be removed: {error.strerror or error}. {len(removed)} of {len(found)} were.",
            hint="Make its folder writable: maverick runs path RUN says where it is.",
        ) from error
    finally:
        with _index() as index:
            index.let_go_of_words()
        release_snapshots(removed)
        release_left()
    if as_json:
        print_json({"removed": removed})
    else:
        typer.echo(f"{count(len(removed), 'run')} removed.")
        if staying := [run_id for run_id in removed if session_file(run_id) is not None]:
            what = f"The session {staying[0]}" if len(staying) == 1 else f"{len(staying)} sessions"
            stay = "stays, and is" if len(staying) == 1 else "stay, and are"
            typer.echo(f"{what} of Claude Code {stay} listed: Claude Code itself keeps and removes its sessions.")
    if len(removed) < len(found):
        raise typer.Exit(FAILED)


def _ask(question: str) -> None:
    """Return if a person says yes."""
    from maverick_tui.exceptions import ConfigError

    if not is_anybody_there():
        raise ConfigError("Nothing was removed: there is nobody to ask.", hint="Add --yes.")
    if not says_yes(question):
        typer.echo("Nothing was removed.", err=True)
        raise typer.Exit(FAILED)


def print_json(data: Any) -> None:
    """Print data as JSON."""
    # Everything beyond ASCII is escaped, so nothing in it can steer a terminal.
    typer.echo(json.dumps(data, indent=2, ensure_ascii=True))

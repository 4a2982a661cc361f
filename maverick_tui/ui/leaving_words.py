"""What is said before one leaves: which agents are at work, what becomes of them, and what would be lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.events.background import COMMANDS
from maverick_tui.inert import one_line
from maverick_tui.runs.entries import PromptEntry
from maverick_tui.runs.status import AT_REST, behind_of, headline
from maverick_tui.ui.rendering.wrap import cut
from maverick_tui.ui.run_at_rest import rest_of

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.dialogs.leaving import Asked

_QUOTED = 40
"""Columns of a quotation, enough to recognize the text."""
_MOST_QUOTED = 3
_AT_REST = {"done": "is done", "failed": "has failed", "interrupted": "was interrupted", "ended": "has ended"}


class Warned(NamedTuple):
    """A question whether to leave all the same."""

    title: str
    text: str


def _keeps_nothing(_run: RunModel, _text: str) -> bool:
    """No draft outlives the screen of a run that is closed."""
    return False


def asked_to_close(run: RunModel, draft: str) -> Asked:
    """What is asked of a run that was at work and can do without us, as it is now."""
    from maverick_tui.ui.dialogs.leaving import Asked

    if run.is_busy:
        is_at_work = run.is_agent_busy and not _is_behind(run)
        what = "it is at work" if is_at_work else _what_goes_on([run])
        text = _at_work([run], {run: draft}, _keeps_nothing)
        return Asked(f"Close {run.title} while {what}?", text, may_stop=not _is_cut_off(run))
    return Asked(f"Close {run.title}?", _at_work([run], {run: draft}, _keeps_nothing), leave="Close", may_stop=False)


def asked_to_quit(
    asked: Sequence[RunModel], drafts: Mapping[RunModel, str], keeps: Callable[[RunModel, str], bool]
) -> Asked:
    """What is asked about all runs, of which these were at work when it was first asked.

    `keeps` says whether a text would be kept as the draft of a run.
    """
    from maverick_tui.ui.dialogs.leaving import Asked

    busy = [run for run in drafts if run.is_busy]
    text = _at_work([*asked, *(run for run in busy if run not in asked)], drafts, keeps)
    if not any(run.attached is not None for run in busy):
        at_rest = "Quit before this has arrived?" if any(run.on_its_way for run in drafts) else "Quit?"
        title = f"Quit while {_what_goes_on(busy)}?" if busy else at_rest
        return Asked(title, text, leave="Quit", may_stop=False)
    may_stop = any(run.attached is not None and not _is_cut_off(run) for run in busy)
    return Asked(f"Quit while {_what_goes_on(busy)}?", text, may_stop=may_stop)


def before_closing(run: RunModel, draft: str, *, is_at_work: bool) -> Warned | None:
    """The question whether to close a run that has `draft` in its prompt; None if nothing would be missed."""
    is_answered = (
        run.rest is None and run.attached is None and any(entry.kind in ("text", "tool") for entry in run.store.entries)
    )
    has_draft, is_on_its_way = _is_typed(run, draft), bool(run.on_its_way)
    if not (is_at_work or is_answered or has_draft or is_on_its_way):
        return None
    fate = "What came is kept (maverick runs)." if run.is_kept else "What is on its screen goes with it."
    waits = run.store.planned is not None
    commands = _commands([run]) if not run.store.queue else []
    what = "cancels the planned continuation" if waits else "stops that" if commands else "interrupts it"
    queued = ", and drops what is queued" if run.store.queue and not run.is_kept else ""
    lost = [
        *commands,
        *([f"Closing {what}{queued}."] if is_at_work else []),
        *([fate] if is_at_work or is_answered else []),
        *(["What you have sent has not arrived yet; if it does not, it is lost."] if is_on_its_way else []),
        *(["What you have typed and not sent is lost."] if has_draft else []),
    ]
    goes_on = _what_goes_on([run]) if commands else "it is at work"
    title = f"Close {run.title} while {goes_on}?" if is_at_work and not waits else f"Close {run.title}?"
    return Warned(title, " ".join(lost))


def before_quitting(drafts: Mapping[RunModel, str]) -> Warned | None:
    """The question whether to leave all runs, each with what stands in its prompt; None if nothing would be missed."""
    busy = [run for run in drafts if run.is_busy]
    not_sent = _not_sent(drafts, drafts)
    if not busy and not not_sent:
        return None
    lost = []
    waiting = [run for run in busy if run.store.planned is not None]
    if working := [run for run in busy if run.is_agent_busy and run not in waiting]:
        are = "is" if len(working) == 1 else "are"
        lost.append(f"{_names(working)} {are} still running. Quitting interrupts; {_fate(working)}.")
    if waiting:
        wait = "waits" if len(waiting) == 1 else "wait"
        lost.append(f"{_names(waiting)} {wait} to continue. Quitting calls that off; {_fate(waiting)}.")
    if commanded := [run for run in busy if not run.is_agent_busy]:
        lost.append(f"{' '.join(_commands(commanded))} Quitting stops that; {_fate(commanded)}.")
    lost += not_sent
    title = f"Quit while {_what_goes_on(busy)}?" if busy else "Quit without sending this?"
    title = "Quit while an agent waits to go on?" if waiting and len(waiting) == len(busy) else title
    return Warned(title, "\n\n".join(lost))


def _not_sent(runs: Iterable[RunModel], drafts: Mapping[RunModel, str]) -> list[str]:
    """What waits in the queues of these runs, and what was typed, with what becomes of it."""
    queued = [
        (run, f"{_quoted(text)} ({run.title}, queued)")
        for run in runs
        if run.rest is None and run.is_ours
        for prompt_id, text in run.store.queue.items()
        if prompt_id not in run.on_its_way
    ]
    typed = [f"{_quoted(draft)} ({run.title}, typed)" for run, draft in drafts.items() if _is_typed(run, draft)]
    return [
        *_listed("Not sent, and kept with its run:", [words for run, words in queued if run.is_kept]),
        *_listed("Not sent, and lost:", [*(words for run, words in queued if not run.is_kept), *typed]),
    ]


def _on_their_way(runs: Iterable[RunModel], keeps: Callable[[RunModel, str], bool]) -> list[str]:
    """What has not reached a run yet, and what becomes of it if it does not while we leave."""
    sent = [(run, text) for run in runs for text in run.on_its_way.values()]
    kept, lost = (
        [f"{_quoted(text)} ({run.title})" for run, text in sent if keeps(run, text) is is_kept]
        for is_kept in (True, False)
    )
    return [
        *_listed("Not arrived yet, and a draft again if it does not:", kept),
        *_listed("Not arrived yet, and lost if it does not:", lost),
    ]


def _listed(heading: str, prompts: Sequence[str]) -> list[str]:
    """Some of them below the heading, and how many more there are; nothing if there are none."""
    if not prompts:
        return []
    more = [f"and {len(prompts) - _MOST_QUOTED} more"] if len(prompts) > _MOST_QUOTED else []
    return ["\n".join([heading, *prompts[:_MOST_QUOTED], *more])]


def _at_work(runs: Sequence[RunModel], drafts: Mapping[RunModel, str], keeps: Callable[[RunModel, str], bool]) -> str:
    """What is said of runs that are or were at work, some of which can do without us, and of what was typed."""
    busy = [run for run in runs if run.is_busy and run.attached is not None]
    reached, cut_off = ([run for run in busy if _is_cut_off(run) is is_cut_off] for is_cut_off in (False, True))
    on_their_way = _on_their_way(drafts, keeps)
    here = [run for run in runs if run.is_busy and run.attached is None]
    told = [" ".join([*_states(busy), *(f"{run.title} {_rest(run)}." for run in runs if not run.is_busy)])]
    if reached:
        told.append("\n".join(_answers(reached)))
    if cut_off:
        are = "is" if len(machines := _machines(cut_off)) == 1 else "are"
        told.append(
            f"{', '.join(machines)} {are} not reached at the moment: {_names(cut_off)} can be left at work there, "
            "but neither be interrupted nor ended."
        )
    if not busy and not here and not on_their_way:
        told.append("Nothing is at work any more.")
    if any(not run.is_kept and not _machine_of(run) for run in busy):
        told.append("What is not kept is gone once its process has ended.")
    if here:
        live = "lives in this window, and ends" if len(here) == 1 else "live in this window, and end"
        told.append(f"{_names(here)} {live} with it; {_fate(here)}.")
    at_rest = [run for run in drafts if run not in busy]
    return "\n\n".join([*filter(None, told), *on_their_way, *_not_sent(at_rest, drafts)])


def _states(busy: Sequence[RunModel]) -> list[str]:
    """What each of them is about: who asks, who waits, and who works."""
    asking = [run for run in busy if run.store.questions]
    waiting = [run for run in busy if run not in asking and run.store.planned is not None]
    working = [run for run in busy if run.is_agent_busy and run not in asking and run not in waiting]
    behind = [run for run in working if _is_behind(run)]
    working = [run for run in working if run not in behind]
    said = ((working, "is", "are", "still running"), (waiting, "waits", "wait", "to go on by itself"))
    told = [f"{_names(some)} {one if len(some) == 1 else more} {what}." for some, one, more, what in said if some]
    asks = [f"{_names(asking)} {'asks' if len(asking) == 1 else 'ask'} you something."] if asking else []
    return [*told, *(f"{run.title} is {headline(run.store).word}." for run in behind), *asks, *_commands(busy)]


def _is_behind(run: RunModel) -> bool:
    """Whether nothing goes on there but what its agent has left in the background."""
    return run.store.phase in AT_REST and bool(behind_of(run.store)) and not (run.store.jobs or run.on_its_way)


def _commands(busy: Sequence[RunModel]) -> list[str]:
    """What the person runs where the agent itself does nothing."""
    told = []
    for run in busy:
        if run.is_busy and not run.is_agent_busy:
            first, *more = (str(entry.arguments.get("command", "")) for entry in run.store.shells.values())
            what = (
                f"{len(more) + 1} commands of yours still run" if more else f"your command {_quoted(first)} still runs"
            )
            told.append(f"In {run.title} {what}.")
    return told


def _what_goes_on(busy: Sequence[RunModel]) -> str:
    """The same of all of them, for a title."""
    if any(_is_behind(run) for run in busy) and all(_is_behind(run) for run in busy):
        return "something runs in the background"
    if agents := sum(run.is_agent_busy for run in busy):
        return "an agent is at work" if agents == 1 else "agents are at work"
    return "a command runs" if sum(len(run.store.shells) for run in busy) == 1 else "commands run"


def _rest(run: RunModel) -> str:
    return _AT_REST.get(run.store.phase, "is at rest")


def _answers(busy: Sequence[RunModel]) -> list[str]:
    one = len(busy) == 1
    goes = f"{'it goes' if one else 'they go'} on without you"
    if all(run.store.questions for run in busy):
        goes = f"{'its question waits' if one else 'their questions wait'} for you"
    stop, end = ("it stops and waits for you", "it stops") if one else ("they stop and wait for you", "they stop")
    if not any(run.is_agent_busy for run in busy):
        stop = "it stops, and its run waits for you" if one else "they stop, and their runs wait for you"
        end = "its run stops, too" if one else "their runs stop, too"
    if all(_is_behind(run) and all(task.tool in COMMANDS for task in behind_of(run.store)) for run in busy):
        stop = "what is in the background goes on all the same"  # a server, perhaps, that the person works with
    return [
        f"Leave at work: {goes}; come back with maverick.",
        f"Interrupt: {stop}.",
        f"End: {end}{_afterwards(busy)}.",
    ]


def _afterwards(runs: Sequence[RunModel]) -> str:
    """What becomes of runs that are ended: whether they can go on from the history, and if none can, why not."""
    lasting = [run for run in runs if run.is_kept and rest_of(run.store).may_go_on]
    if len(lasting) == len(runs):
        return ", and can go on later from the history"
    if lasting:
        return f"; of them {_names(lasting)} can go on later from the history"
    if machines := _machines(runs):
        return f"; what is kept of {'it' if len(runs) == 1 else 'them'} is on {', '.join(machines)}"
    is_scripted = all(run.store.loaded is not None and run.store.loaded.is_offline for run in runs)
    return f", and cannot go on later{': a script plays it' if is_scripted else ''}"


def _machines(runs: Sequence[RunModel]) -> list[str]:
    return sorted({machine for run in runs if (machine := _machine_of(run))})


def _is_cut_off(run: RunModel) -> bool:
    """Whether nothing can be said to it now: the line to its machine is broken."""
    return run.attached is not None and run.attached.is_broken


def _machine_of(run: RunModel) -> str:
    """The machine that it lives on, if that is another one."""
    return one_line(run.machine)


def _names(runs: Sequence[RunModel]) -> str:
    counted = Counter(run.title for run in runs)
    return ", ".join(title if count == 1 else f"{title} ({count} runs)" for title, count in counted.items())


def _fate(runs: Sequence[RunModel]) -> str:
    is_kept = all(run.is_kept for run in runs)
    return "what came so far is kept (maverick runs)" if is_kept else "what is on the screen is lost"


def _is_typed(run: RunModel, draft: str) -> bool:
    """Whether it would be lost: it is not a prompt of the run brought back."""
    sent = (entry.text for entry in run.store.entries if isinstance(entry, PromptEntry))
    return bool(draft.strip()) and draft.strip() not in map(str.strip, sent)


def _quoted(text: str) -> str:
    return f'"{cut(one_line(text), _QUOTED)}"'

"""`maverick runs`: what is kept, on the command line."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from maverick_tui.cli import launching
from maverick_tui.cli.plain_signs import use_plain_signs
from maverick_tui.cli.runs_text import _GLYPHS, print_list, progress
from maverick_tui.events import kinds as ev
from maverick_tui.history.database import index_file
from maverick_tui.history.index import RunIndex
from maverick_tui.journal.folders import journal_of, kept_runs
from maverick_tui.journal.writing import Journal
from maverick_tui.ui.launch import Launch
from tests.cli.agent_files import environment
from tests.history.kept import AT, begun, ended, keep, keep_run, lines, turn
from tests.support.command_line import Run

OLD, NEW = "7f3a00c0ffee", "8f3a00c0ffee"


@pytest.fixture
def two() -> None:
    keep_run(OLD, AT, prompt="Fix the login test", answer="The session expires.")
    keep_run(NEW, time.time() - 60, agent="planner", prompt="Plan it", answer="First the cart.", outcome="failed")


@pytest.fixture
def live() -> Journal:
    journal = Journal(journal_of("11fe00c0ffee"), print)
    journal.write(0, [*begun("11fe00c0ffee", time.time()), ev.TurnStarted(time.time(), 1, "Go")])
    return journal


def test_runs_are_listed_newest_first_and_live_ones_on_top(maverick: Run, two: None, live: Journal) -> None:
    ran = maverick("runs", "list")
    live.close()
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith(("●", "✘", "✔"))] == [
        ["●", "11fe00c0"],
        ["✘", "8f3a00c0"],
        ["✔", "7f3a00c0"],
    ]
    assert lines[0].startswith("Live  1 run")
    assert max(map(len, lines)) <= 80
    assert "Fix the login test" in lines[-1]
    assert "$0.250" in lines[-1]


def test_what_a_live_run_is_about_is_told_as_in_the_list_of_live_ones(maverick: Run, live: Journal) -> None:
    def shown() -> str:
        return maverick("runs", "list").out.splitlines()[1].split()[0]

    now, usage = time.time(), ev.Usage(10, 5, 0, 0, 0.25, 2_000)
    told: list[tuple[str, ev.Event]] = [
        ("●", ev.ToolCalled(now, "c1", "Bash", {"command": "ls"})),
        ("⚑", ev.PermissionAsked(now, "q1", "c1", "Bash", {"command": "ls"})),
        ("●", ev.PermissionSettled(now, "q1", "c1", "deny")),
        ("■", ev.TurnEnded(now, 1, "interrupted", usage)),
        ("●", ev.TurnStarted(now, 2, "Go on")),
        ("✔", ev.TurnEnded(now, 2, "done", usage)),
    ]
    for number, (glyph, event) in enumerate(told, 4):
        live.write(number, [event])
        assert shown() == glyph, event
    assert json.loads(maverick("runs", "list", "--json").out)[0]["state"] == "running"
    live.close()


def test_the_turn_that_a_live_run_is_at_has_not_broken_off(maverick: Run) -> None:
    now, usage = time.time(), ev.Usage(10, 5, 0, 0, 0.25, 2_000)
    journal = Journal(journal_of(OLD), print)
    first = [ev.TurnStarted(now, 1, "Go"), ev.TurnEnded(now, 1, "done", usage)]
    journal.write(0, [*begun(OLD, now), *first, ev.TurnStarted(now, 2, "Go on")])

    def shown() -> list[str]:
        marks = tuple(f"     {glyph} " for glyph, _ in _GLYPHS.values())
        return [line.split()[2] for line in maverick("runs", "show", OLD).out.splitlines() if line.startswith(marks)]

    assert shown() == ["done", "at"]
    journal.write(6, [ev.PermissionAsked(now, "q1", "c1", "Bash", {"command": "ls"})])
    assert shown() == ["done", "asks"]
    journal.write(7, [ev.PermissionSettled(now, "q1", "c1", "deny")])
    journal.close()
    assert shown() == ["done", "broke"]


def test_a_prompt_of_many_pages_is_one_line_of_a_list_also_in_a_pipe(
    maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    keep_run(OLD, AT, prompt="Fix it. " * 500)
    assert 200 < max(map(len, maverick("runs", "list").out.splitlines())) < 300


def test_json_is_an_array_of_runs(maverick: Run, two: None) -> None:
    listed = json.loads(maverick("runs", "list", "--json").out)
    assert [run["run_id"] for run in listed] == [NEW, OLD]
    assert {run["state"] for run in listed} == {"failed", "done"}
    assert listed[1]["title"] == listed[1]["first_prompt"] == "Fix the login test"
    assert listed[1]["journal"] == str(journal_of(OLD))
    assert [run["run_id"] for run in json.loads(maverick("runs", "list", "--json", "--limit", "1").out)] == [NEW]
    assert json.loads(maverick("runs", "list", "--json", "state:done", "login").out)[0]["run_id"] == OLD
    assert json.loads(maverick("runs", "list", "--json", "nothing").out) == []


def test_what_is_not_listed_is_told(maverick: Run, two: None) -> None:
    assert "1 more" in maverick("runs", "list", "--limit", "1").out
    assert "more" not in maverick("runs", "list", "--limit", "0").out
    assert maverick("runs", "list", "never").out == "No run matches.\n"


def test_a_day_is_counted_as_a_whole(maverick: Run) -> None:
    for number, at in enumerate((AT - 86_400, AT, AT + 60, AT + 120)):
        keep_run(f"{number:012x}", at)
    lines = maverick("runs", "list", "--limit", "2").out.splitlines()
    assert lines[0].endswith("  3 runs  $0.750")
    assert sum(line.startswith("✔") for line in lines) == 2
    assert lines[-1].startswith("2 more")


def test_without_runs_it_says_so(maverick: Run) -> None:
    assert maverick("runs", "list").out.startswith("No runs are kept yet.")
    assert maverick("runs", "list", "--json").out == "[]\n"
    assert maverick("runs", "search", "x").out == "Nothing was found.\n"
    assert maverick("runs", "reindex").out.startswith("0 runs, 0 events")


def test_a_run_is_shown_turn_by_turn(maverick: Run, two: None) -> None:
    out = maverick("runs", "show", "7f").out
    for part in (OLD, "reviewer", "sonnet on claude-code", "  1  Fix the login test", "The session expires.", "2.0 s"):
        assert part in out
    shown = json.loads(maverick("runs", "show", OLD, "--json").out)
    assert shown["run_id"] == OLD
    (turn,) = shown["turns_in_short"]
    assert (turn["prompt"], turn["answer"], turn["outcome"]) == ("Fix the login test", "The session expires.", "done")
    assert (turn["cost_usd"], turn["is_estimate"]) == (0.25, False)


def test_a_run_whose_time_was_over_before_it_began_has_failed_and_says_why(maverick: Run) -> None:
    queued, why = ev.PromptQueued(AT, "p", "Stall"), "It has taken the 5 s that it was given."
    keep("000000000003", [*begun("000000000003"), queued, ev.Noticed(AT + 5, "timeout", why), *ended(AT + 6)])
    assert "000000000003"[:8] in maverick("runs", "list", "state:failed").out
    assert f"stopped  {why}" in maverick("runs", "show", "000000000003").out
    (told,) = json.loads(maverick("runs", "list", "--json").out)
    assert told["cut"] == why


def test_the_estimated_cost_of_a_turn_says_so(maverick: Run) -> None:
    keep(OLD, [*begun(OLD), *turn(), *turn(2, at=AT + 3, outcome="failed", is_estimate=True)])
    lines = maverick("runs", "show", OLD).out.splitlines()
    assert [line.split(" · ")[-1] for line in lines if "$0.25" in line and ":" in line][-2:] == ["$0.250", "~$0.250"]
    assert [
        one["is_estimate"] for one in json.loads(maverick("runs", "show", OLD, "--json").out)["turns_in_short"]
    ] == [
        False,
        True,
    ]


def test_words_are_found_with_their_place(maverick: Run, two: None) -> None:
    out = maverick("runs", "search", "session").out
    assert "7f3a00c0" in out
    assert "turn 1   answer   The session expires." in out
    (hit,) = json.loads(maverick("runs", "search", "session", "--json").out)
    ((start, end),) = hit.pop("matches")
    assert hit.pop("snippet")[start:end] == "session"
    assert hit == {"run_id": OLD, "event": 4, "turn": 1, "kind": "answer"}
    assert maverick("runs", "search", "agent:planner", "session").out == "Nothing was found.\n"
    assert "First the cart" in maverick("runs", "search", '"first the"').out
    nothing = maverick("runs", "search", "--", "--")
    assert (nothing.code, nothing.out) == (1, "")
    assert "no word to search for" in nothing.err


def test_tags_are_kept_beside_the_run(maverick: Run, two: None) -> None:
    assert maverick("runs", "tag", "7f", "+flaky", "+hot", "-ci").out == "#flaky #hot\n"
    assert maverick("runs", "tag", "7f", "-hot").out == "#flaky\n"
    assert maverick("runs", "reindex").code == 0
    assert (
        maverick("runs", "tag", "7f", "--json").out == json.dumps({"run_id": OLD, "tags": ["flaky"]}, indent=2) + "\n"
    )
    assert [run["run_id"] for run in json.loads(maverick("runs", "list", "tag:flaky", "--json").out)] == [OLD]
    assert maverick("runs", "tag", "7f", "plain").code == 2
    assert "#flaky Fix the login" in maverick("runs", "list").out


def test_nothing_is_removed_without_a_yes(maverick: Run, two: None) -> None:
    for command in (["delete", "7f"], ["prune", "--older-than", "30d"]):
        ran = maverick("runs", *command)
        assert ran.code == 1
        assert "7f3a00c0" in ran.out
        assert "--yes" in ran.err
    assert json.loads(maverick("runs", "prune", "--older-than", "30d", "--json").out) == {"would_remove": [OLD]}
    assert len([*kept_runs()]) == 2


def test_runs_are_removed_for_good(maverick: Run, two: None) -> None:
    ran = maverick("runs", "prune", "--older-than", "30d", "--yes")
    assert ran.out.endswith("1 run removed.\n")
    assert [*kept_runs()] == [NEW]
    assert maverick("runs", "search", "session").out == "Nothing was found.\n"
    assert maverick("runs", "prune", "--older-than", "30d", "--yes").out == "No run is that old.\n"
    assert json.loads(maverick("runs", "delete", NEW, "--yes", "--json").out) == {"removed": [NEW]}
    assert [*kept_runs()] == []


class Terminal(io.StringIO):
    """Somebody who looks, and types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "left"), [("y\n", [NEW]), ("no\n", [NEW, OLD]), ("", [NEW, OLD])])
def test_a_person_is_asked(
    maverick: Run, two: None, monkeypatch: pytest.MonkeyPatch, typed: str, left: list[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr("maverick_tui.cli.asking.forget_typed", lambda: None)
    ran = maverick("runs", "delete", "7f")
    assert "Remove 1 run (0.0 MB) for good? [y/N]: " in ran.err
    assert ran.code == (0 if left == [NEW] else 1)
    assert sorted(kept_runs(), reverse=True) == left


def test_what_takes_long_is_told_to_a_terminal(two: None, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr("maverick_tui.cli.runs_text._PATIENCE", -1.0)
    with RunIndex(on_progress=progress()):
        assert screen.getvalue() == "\rReading runs: 1 of 2\r                    \r"


def test_a_run_that_is_alive_is_not_removed(maverick: Run, two: None, live: Journal) -> None:
    ran = maverick("runs", "delete", "11fe", "7f", "--yes")
    assert ran.code == 1
    assert "still writing" in ran.err
    maverick("runs", "prune", "--older-than", "0m", "--yes")
    live.close()
    assert [*kept_runs()] == ["11fe00c0ffee"]


def test_a_run_that_goes_on_while_it_is_asked_about_is_not_removed(
    maverick: Run, two: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def agrees_once_it_has_gone_on(_question: str) -> bool:
        with journal_of(OLD).open("ab") as journal:
            journal.write(lines(turn(2, "Once more")))
        return True

    monkeypatch.setattr("maverick_tui.cli.runs.is_anybody_there", lambda: True)
    monkeypatch.setattr("maverick_tui.cli.runs.says_yes", agrees_once_it_has_gone_on)
    ran = maverick("runs", "delete", OLD, NEW)
    assert (ran.code, [*kept_runs()]) == (1, [OLD])
    assert f"The run {OLD} was kept: it has gone on since it was listed." in ran.err
    assert "1 run removed." in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "b"], "No run has an id that begins with 'b'"),
        (["show", "../x"], "No run has an id"),
        (["list", "state:don"], "Did you mean 'done'?"),
        (["list", "since:never"], "is no time"),
        (["prune", "--older-than", "soon"], "is no span of time"),
        (["tag", "7f", "+a,b"], "cannot be a tag"),
    ],
)
def test_mistakes_are_told_in_a_line_or_two(maverick: Run, two: None, arguments: list[str], said: str) -> None:
    ran = maverick("runs", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 2


def test_a_damaged_index_is_made_anew_and_a_place_that_takes_none_is_told(maverick: Run, two: None) -> None:
    index_file().write_bytes(b"no database " * 900)
    assert maverick("runs", "reindex", "--json").out.startswith('{\n  "runs": 2,\n  "events": 18,')
    index_file().unlink()
    index_file().mkdir()
    ran = maverick("runs", "reindex")
    assert ran.code == 1
    assert "cannot be written" in ran.err
    assert len(maverick("runs", "list").out.splitlines()) == 5


def test_nothing_that_was_said_steers_the_terminal(maverick: Run) -> None:
    text = "\x1b[2J\x1b]0;owned\x07 \u202e needle"
    keep_run(OLD, AT, agent=text, prompt=text, answer=text, cwd=f"/{text}", branch=text, model=text)
    for command in (["list"], ["show", OLD], ["search", "needle"]):
        for option in ([], ["--json"]):
            out = maverick("runs", *command, *option).out
            assert "needle" in out
            assert not {"\x1b", "\x07", "\u202e"} & set(out)


@pytest.mark.parametrize("at", [1e300, -1e300, 0.0])
def test_times_that_no_calendar_has_are_listed(maverick: Run, at: float) -> None:
    keep(OLD, begun(OLD, at))
    assert "7f3a00c0" in maverick("runs", "list").out
    assert "7f3a00c0" in maverick("runs", "show", OLD).out


# -- as a program ------------------------------------------------------------------------------------------------------


@pytest.mark.explore
def test_a_reader_that_has_gone_and_no_home_and_a_plain_locale_are_no_reason_to_complain(two: None) -> None:
    for number in range(40):
        keep(f"{number:012x}", begun(f"{number:012x}"))
    keep_run("dddddddddddd", time.time(), prompt="日本 naïve")
    surroundings = environment(LC_ALL="C", PYTHONIOENCODING="ascii", MAVERICK_STATE_DIR=str(index_file().parent))
    del surroundings["HOME"]
    command = f"{sys.executable} -m maverick_tui runs list --limit 0 | head -n 2"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, env=surroundings, check=True)
    assert ran.stderr == ""
    assert ran.stdout.splitlines()[1].startswith("+ dddddddd")


def test_states_are_told_apart_whatever_the_output_can_show() -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii")
    use_plain_signs(stream)
    glyphs = {glyph for glyph, _ in _GLYPHS.values()}
    stream.write("".join(glyphs) + "ü")
    stream.flush()
    signs = written.getvalue().decode()
    assert signs.endswith("?")
    assert len(set(signs)) == len(glyphs) + 1


@pytest.mark.parametrize(
    ("term", "no_colour", "is_plain"), [("xterm", "", False), ("dumb", "", True), ("xterm", "1", True)]
)
def test_colours_are_for_terminals_that_want_them(two: None, term: str, no_colour: str, is_plain: bool) -> None:
    out = _in_terminal(term, no_colour)
    assert "✘" in out
    assert ("\x1b" not in out) if is_plain else ("\x1b[31m✘\x1b[0m" in out)


def _in_terminal(term: str, no_colour: str) -> str:
    ours, theirs = pty.openpty()
    with pytest.MonkeyPatch.context() as patch, os.fdopen(theirs, "w") as terminal, RunIndex() as index:
        patch.setenv("TERM", term)
        patch.setenv("NO_COLOR", no_colour)
        patch.setattr(sys, "stdout", terminal)
        print_list(index.runs(), 2, is_filtered=False)
        terminal.write("END")
        terminal.flush()
        out = b""
        while not out.endswith(b"END"):
            out += os.read(ours, 65_536)
    os.close(ours)
    return out.decode()


LOADS = """
import sys
from maverick_tui.cli import main
ALWAYS = {'yaml', 'httpx2', 'claude_agent_sdk', 'textual', 'git'}
IN_HELP = ALWAYS | {'rich', 'asyncio', 'sqlite3'}
commands = [([command, '--help'], IN_HELP) for command in ('ps', 'stop', 'wait', 'logs')]
for command, heavy in [
    (['--help'], IN_HELP | {'pydantic', 'importlib.metadata'}),
    *commands,
    (['runs', 'list', '--help'], IN_HELP),
    (['runs', 'list'], ALWAYS),
]:
    sys.argv = ['maverick', *command]
    try: main()
    except SystemExit: pass
    if found := sorted(heavy & set(sys.modules)): print(command, found, file=sys.stderr)
"""


def test_neither_help_nor_a_listing_imports_what_it_does_not_need(two: None) -> None:
    ran = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True, check=True, env=environment())
    assert ran.stderr == ""
    assert "since:7d" in ran.stdout


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"cwd": "/no/such/folder"}, "no folder /no/such/folder"),
        ({"is_offline": True}, "played by a script"),
        ({}, "needs a terminal"),
    ],
)
def test_what_cannot_go_on_says_why(maverick: Run, changed: dict[str, object], why: str) -> None:
    loaded = replace(ev.AgentLoaded(2, "explorer", str(Path.cwd())), **changed)  # type: ignore[arg-type]
    keep(OLD, [ev.RunStarted(1, OLD, "explorer"), loaded, ev.RunEnded(3)])
    ran = maverick("runs", "resume", "7f3a")
    assert ran.code == 1
    assert why in ran.err


def test_a_run_that_goes_on_is_not_resumed(maverick: Run, live: Journal) -> None:
    ran = maverick("runs", "resume", "11fe")
    live.close()
    assert "still going on" in ran.err


def test_to_open_a_run_needs_a_terminal(maverick: Run) -> None:
    keep_run(OLD)
    ran = maverick("runs", "open", "7f3a", "--at", "3")
    assert (ran.code, ran.out) == (1, "")
    assert "needs a terminal" in ran.err
    assert f"maverick runs show {OLD}" in ran.err
    assert maverick("runs", "open", "7f3a", "--at", "-1").code == 2
    assert "No run has an id" in maverick("runs", "open", "ffff").err


def test_a_run_is_opened_at_its_place_and_one_of_a_newer_version_is_refused(
    maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[Launch] = []

    def open_app(launch: Launch) -> int:
        wanted.append(launch)
        return 0

    monkeypatch.setattr(launching, "is_terminal", lambda: True)
    monkeypatch.setattr(launching, "open_app", open_app)
    keep_run(OLD)
    assert maverick("runs", "open", "7f3a", "--at", "3").code == 0
    assert (wanted[0].opens, wanted[0].opens_at) == (OLD, 3)
    keep(NEW, [ev.RunStarted(1, NEW, "explorer", schema=ev.SCHEMA + 1)])
    ran = maverick("runs", "open", "8f3a")
    assert ran.code == 1
    assert "Update Maverick" in ran.err
    assert len(wanted) == 1


def test_a_filter_that_there_is_not_is_said_where_nothing_matches(maverick: Run, two: None) -> None:
    ran = maverick("runs", "list", "stat:done")
    assert ran.code == 0
    assert "No run matches. 'stat' is no filter" in " ".join(ran.out.split())

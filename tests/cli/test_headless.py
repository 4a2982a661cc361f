"""A run without a terminal, in this process: what is written where, what it leaves with, and what is kept of it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from maverick_tui import AgentContext, AgentError, AgentResult, AgentUsage, MaverickConfig
from maverick_tui.agent.engine.judging import unanswered
from maverick_tui.agent.engines import ToolQuestion
from maverick_tui.cli.exit_codes import FAILED, INTERRUPTED, NOBODY_TO_ASK, OVER_LIMIT, TIMED_OUT
from maverick_tui.cli.headless import heeding_signals, in_good_order, written
from maverick_tui.cli.layout import Paper
from maverick_tui.cli.result_forms import Form, Result, Way
from maverick_tui.cli.verdict import verdict_of
from maverick_tui.events import kinds as ev
from maverick_tui.events.schema import event_schema
from maverick_tui.executor.limits import LimitError
from maverick_tui.journal.folders import is_alive, journal_of, kept_runs
from maverick_tui.journal.reading import read_journal
from maverick_tui.runs.forking import fork_of
from maverick_tui.runs.holding import RunLimits
from maverick_tui.runs.past import past_of
from maverick_tui.runs.unattended import Unattended
from tests.cli.agent_files import write_agent
from tests.cli.pretended import Acts, Model, Pretender
from tests.runs.grammar import check_well_formed
from tests.support.command_line import Run

LONG = "All tests PASS, and the report is long."


class Written(NamedTuple):
    """What a run has left."""

    out: str
    err: str
    run: Unattended

    @property
    def code(self) -> int:
        return verdict_of(self.run).code


async def ran(
    agent: Pretender,
    *,
    form: Form = "text",
    is_watched: bool = False,
    is_shown: bool = True,
    limits: RunLimits | None = None,
    run: Unattended | None = None,
) -> Written:
    """Run an agent; its journal is whole and well-formed, whatever comes of it."""
    run = run or unattended(agent, limits)
    out, err = io.StringIO(), io.StringIO()
    way = Way(Paper(err, 80), Path.cwd(), is_shown=is_shown, keeps_answer=form == "text" and not is_watched)
    try:
        await written(run, "Do it", way, Result(form, None if is_watched else out))
    finally:
        journal = journal_of(run.run_id)
        check_well_formed(read_journal(journal).events)
        assert not is_alive(journal)
    return Written(out.getvalue(), err.getvalue(), run)


def unattended(agent: Pretender, limits: RunLimits | None = None) -> Unattended:
    run_id = uuid.uuid4().hex[:12]
    config = MaverickConfig.load()
    return Unattended(agent, "Do it", Path.cwd(), config, run_id=run_id, limits=limits, journal=journal_of(run_id))


# -- a run that goes on ------------------------------------------------------------------------------------------------


async def says(model: Model, prompt: str) -> None:
    model.request()
    model.say(LONG)


async def test_of_a_run_that_goes_on_only_what_comes_now_is_told_and_counted() -> None:
    first = await ran(Pretender(says), form="stream-json")
    told = read_journal(journal_of(first.run.run_id))
    fork = fork_of(told.events, 1, uuid.uuid4().hex[:12], at=told.events[-1].at)
    for past, run_id, size in ((past_of(told.events), first.run.run_id, told.size), (fork.past, fork.run_id, None)):
        agent, config, journal = Pretender(says), MaverickConfig.load(), journal_of(run_id)
        run = Unattended(
            agent, "More", Path.cwd(), config, run_id=run_id, journal=journal, past=past, size=size, limits=RunLimits(1)
        )
        done = await ran(agent, form="stream-json", run=run)
        lines = [json.loads(line) for line in done.out.splitlines()]
        assert [line["seq"] for line in lines] == [0, *range(len(past.events), len(run.events))]
        assert (lines[0]["type"], lines[0]["run_id"]) == ("run_started", run_id)
        assert lines[0]["at"] == (past.events[-1].at if past.is_fork else told.events[0].at)
        assert (done.run.result, done.run.figures.steps, done.code) == (LONG, first.run.figures.steps, first.code)


# -- the answer --------------------------------------------------------------------------------------------------------


async def looks(model: Model, prompt: str) -> None:
    model.request()
    model.say(f"I {prompt}.")
    model.read("a")
    model.request()
    model.say(LONG)


class Judging(Pretender):
    """Asks, and answers something of its own, if it has that."""

    def __init__(self, own: str = "", prompts: tuple[str, ...] = ("look",)) -> None:
        super().__init__(looks)
        self._own = own
        self._prompts = prompts

    async def execute(self, context: AgentContext) -> AgentResult:
        outputs = [(await self.run(prompt, context)).output for prompt in self._prompts]
        return AgentResult.success_result(self._own or outputs[-1], AgentUsage(0, 0, None, 0))


@pytest.mark.parametrize("prompts", [("look",), ("look", "look again")])
async def test_what_the_model_says_last_is_the_answer(prompts: tuple[str, ...]) -> None:
    done = await ran(Judging(prompts=prompts))
    assert done.out == f"{LONG}\n"
    assert "I look." in done.err
    assert done.err.count(LONG) == len(prompts) - 1
    assert done.code == 0


@pytest.mark.parametrize("own", ["PASS", "I look.", "The verdict:\n\nPASS"])
async def test_what_the_agent_makes_of_it_is_the_answer_also_where_the_model_has_said_the_word(own: str) -> None:
    done = await ran(Judging(own))
    assert done.out == f"{own}\n"
    assert LONG in done.err
    assert "PASS\n" not in done.err, "it is not told twice"


async def test_what_the_agent_makes_of_it_is_seen_where_somebody_looks_on() -> None:
    own = "PASS\n\n" + "because everything is as it should be " * 4
    seen = (await ran(Judging(own), is_watched=True)).err
    assert LONG in seen
    assert own.split() == seen.partition(LONG)[2].split()[: len(own.split())], "all of it, not only its first line"
    assert (await ran(Judging(), is_watched=True)).err.count(LONG) == 1


async def test_what_broke_off_and_began_anew_is_no_part_of_the_answer() -> None:
    async def begins_anew(model: Model, prompt: str) -> None:
        model.begin("Half an ans")
        model.tell(ev.ReplyRestarted(model.listener.now()))
        model.say("A whole answer.")

    done = await ran(Pretender(begins_anew))
    assert done.out == "A whole answer.\n"
    assert "Half an ans\n(the answer broke off; it begins anew)\n" in done.err


class Both(Pretender):
    """Asks two things at once."""

    async def execute(self, context: AgentContext) -> AgentResult:
        results = await asyncio.gather(*(self.run(prompt, context) for prompt in ("first", "second")))
        return AgentResult.success_result(" ".join(result.output for result in results), AgentUsage(0, 0, None, 0))


async def test_nothing_is_lost_of_what_is_asked_at_the_same_time() -> None:
    async def echoes(model: Model, prompt: str) -> None:
        model.say(f"{prompt} half, ", f"{prompt} rest.")

    seen = (await ran(Both(echoes), is_watched=True)).err
    assert "first half, first rest." in seen
    assert "second half, second rest." in seen


# -- how it ends -------------------------------------------------------------------------------------------------------


async def goes_on(model: Model, prompt: str) -> None:
    """Say half a sentence, and then nothing more."""
    model.request()
    model.begin("Half a sen")
    await asyncio.Event().wait()


async def fails(model: Model, prompt: str) -> None:
    model.begin("Half a sen")
    raise AgentError("The oven is cold.", hint="Heat it.")


async def is_limited(model: Model, prompt: str) -> None:
    model.begin("Half a sen")
    raise LimitError("The agent used up its turns: 3.")


async def breaks_in_a_call(model: Model, prompt: str) -> None:
    model.say("Half a sen")
    model.read("a")
    raise AgentError("The oven is cold.")


async def is_refused(model: Model, prompt: str) -> None:
    question = ToolQuestion("Bash", {"command": "git push"}, "call-1")
    model.tell(ev.ToolCalled(model.listener.now(), "call-1", "Bash", {"command": "git push"}))
    for event in unanswered(question, "This agent may use Bash(ls:*).", model.listener.now()):
        model.tell(event)
    model.say("Half a sen")


async def spends(model: Model, prompt: str) -> None:
    model.begin("Half a sen")
    while True:
        model.request()
        await asyncio.sleep(0)


ENDS: list[tuple[Acts, RunLimits | None, int, str, str]] = [
    (fails, None, FAILED, "agent", "The oven is cold."),
    (breaks_in_a_call, None, FAILED, "agent", "The oven is cold."),
    (is_limited, None, OVER_LIMIT, "limit", "used up its turns"),
    (is_refused, None, NOBODY_TO_ASK, "permission", "nobody to ask: Bash git push (This agent may use Bash(ls:*))."),
    (spends, RunLimits(turns=3), OVER_LIMIT, "limit", "asked the model 3 times"),
    (spends, RunLimits(cost_usd=0.05), OVER_LIMIT, "limit", "has cost $0.060, and it was given $0.050"),
    (goes_on, RunLimits(seconds=0.2), TIMED_OUT, "timeout", "0.2 s"),
]


@pytest.mark.parametrize(("acts", "limits", "code", "kind", "why"), ENDS)
async def test_each_end_has_a_code_of_its_own_and_what_came_before_is_written(
    acts: Acts, limits: RunLimits | None, code: int, kind: str, why: str
) -> None:
    done = await ran(Pretender(acts), limits=limits, is_shown=False)
    while limits is not None and limits.seconds is not None and not done.out:  # the machine was too slow for that
        limits = replace(limits, seconds=limits.seconds * 5)
        done = await ran(Pretender(acts), limits=limits, is_shown=False)
    why = f"{limits.seconds:g} s" if limits is not None and limits.seconds is not None else why
    assert done.code == code
    assert done.out == "Half a sen\n"
    assert why in " ".join(done.err.split())
    assert done.err.startswith("maverick: "), "where nobody looks on, it is only said what is wrong"
    said = json.loads((await ran(Pretender(acts), limits=limits, form="json")).out)
    assert (said["ok"], said["error"]["kind"]) == (False, kind)
    assert said["result"] in ("Half a sen", "" if limits is not None and limits.seconds is not None else "Half a sen")
    assert why in said["error"]["message"]


async def test_a_limit_of_turns_is_one_for_all_that_an_agent_asks() -> None:
    async def once(model: Model, prompt: str) -> None:
        model.request()
        if prompt == "three":
            await asyncio.sleep(slow)
        model.say(prompt)

    class Thrice(Pretender):
        async def execute(self, context: AgentContext) -> AgentResult:
            for prompt in ("one", "two", "three"):
                result = await self.run(prompt, context)
            return result

    slow = 0
    assert (await ran(Thrice(once), limits=RunLimits(turns=3))).out == "three\n"
    slow = 600
    done = await ran(Thrice(once), limits=RunLimits(turns=2))
    assert done.code == OVER_LIMIT
    assert "three" not in done.out


async def test_an_agent_that_cannot_be_reached_has_failed() -> None:
    class Lost(Pretender):
        def open_session(self, *_arguments: Any, **_options: Any) -> Any:
            raise AgentError("There is no way.")

    done = await ran(Lost(looks))
    assert (done.code, done.out) == (FAILED, "")
    assert "There is no way." in done.err


# -- forms -------------------------------------------------------------------------------------------------------------


async def test_one_object_says_what_came_of_it() -> None:
    done = await ran(Pretender(looks), form="json", is_shown=False)
    assert done.err == ""
    said = json.loads(done.out)
    assert list(said) == ["run_id", "result", "ok", "error", "usage", "cost", "turns", "duration", "session"]
    assert (said["result"], said["ok"], said["error"], said["turns"]) == (LONG, True, None, 1)
    assert said["run_id"] == done.run.run_id
    assert said["usage"] == {"input_tokens": 100, "output_tokens": 10, "cache_read_tokens": 0, "cache_write_tokens": 0}
    assert said["cost"] == 0.02


async def test_events_are_told_as_they_are_kept_and_as_the_schema_says(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-ant-api03-" + "x" * 40
    monkeypatch.setenv("KITCHEN_API_KEY", secret)

    async def speaks(model: Model, prompt: str) -> None:
        await looks(model, prompt)
        model.say("The key is ", secret[:20], secret[20:], ", and ", "nobody knows.")

    done = await ran(Pretender(speaks), form="stream-json", is_shown=False)
    lines = [json.loads(line) for line in done.out.splitlines()]
    kept = read_journal(journal_of(done.run.run_id)).events
    assert [ev.event_from_json(line) for line in lines] == kept
    assert [line["seq"] for line in lines] == list(range(len(kept)))
    assert secret[:20] not in done.out
    assert "nobody knows." in done.out
    validator = Draft202012Validator(event_schema())
    for line in lines:
        validator.validate(line)


class Full(io.StringIO):
    """Takes the first line, and no other."""

    def write(self, text: str) -> int:
        if self.getvalue():
            raise BrokenPipeError(32, "Broken pipe")
        return super().write(text)


async def test_a_result_that_nobody_takes_ends_the_run_in_good_order() -> None:
    run = unattended(Pretender(goes_on))
    way = Way(Paper(io.StringIO(), 80), Path.cwd(), is_shown=False, keeps_answer=False)
    with pytest.raises(BrokenPipeError):
        await written(run, "Do it", way, Result("stream-json", Full()))
    check_well_formed(read_journal(journal_of(run.run_id)).events)


async def test_a_journal_that_cannot_be_written_is_told_and_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").touch()
    monkeypatch.setenv("MAVERICK_STATE_DIR", "file")
    run = unattended(Pretender(looks))
    out, err = io.StringIO(), io.StringIO()
    way = Way(Paper(err, 80), Path.cwd(), is_shown=False, keeps_answer=True)
    await written(run, "Do it", way, Result("text", out))
    assert out.getvalue() == f"{LONG}\n"
    assert err.getvalue().startswith("maverick: This run is not kept: ")


# -- usage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["nobody", "go"], 3, "nobody"),
        (["reviewer"], 2, "Say what it is to do, or pipe it in."),
        (["reviewer", " "], 2, "It is empty."),
        (["reviewer", "-"], 2, "Nothing is piped in."),
        (["reviewer", "go", "--offline"], 2, "--script FILE"),
        (["reviewer", "go", "--input", "base"], 2, "'base' is not NAME=VALUE."),
        (["reviewer", "go", "--input", "base=a", "--input", "base=b"], 2, "is given twice"),
        (["reviewer", "go", "--input", "bass=a"], 2, "bass"),
        (["reviewer", "go", "--allow", "Bahs(make:*)"], 2, "Bahs"),
        (["reviewer", "go", "--timeout", "0"], 2, "not more than 0"),
        (["reviewer", "go", "--max-cost", "nan"], 2, "not more than 0"),
        (["reviewer", "go", "--fuse", "dollars=2"], 2, "one of usd, tokens, turns, minutes"),
        (["reviewer", "go", "--fuse", "usd=-1"], 2, "not a number above 0"),
        (["reviewer", "go", "--max-turns", "0"], 2, "--max-turns"),
        (["reviewer", "go", "--output", "xml"], 2, "--output"),
        (["reviewer", "go", "--cwd", "nowhere"], 2, "nowhere"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_run(
    arguments: list[str], code: int, says: str, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent("reviewer")
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        ran = maverick("run", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert says in " ".join(ran.err.split())
    assert list(kept_runs()) == []


def test_what_an_agent_file_offers_steers_no_terminal(maverick: Run) -> None:
    write_agent("reviewer", 'inputs: {a: {type: string, choices: ["one\\u202etwo", "three"]}}')
    ran = maverick("run", "reviewer", "go", "--input", "a=four")
    assert ran.code == 2
    assert "three" in ran.err
    assert "\u202e" not in ran.err


def test_the_help_tells_what_it_leaves_with(maverick: Run) -> None:
    out = maverick("run", "--help").out
    for code in (FAILED, TIMED_OUT, OVER_LIMIT, NOBODY_TO_ASK, INTERRUPTED):
        assert f"\n  {code:>5}  " in out or f"\n{code:>7}  " in out


# -- signals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_told_to_end_it_writes_what_has_come_and_a_second_signal_would_end_it_at_once(number: int) -> None:
    async def is_told_to_end(model: Model, prompt: str) -> None:
        model.begin("Half a sen")
        os.kill(os.getpid(), number)
        await asyncio.Event().wait()

    run, caught = unattended(Pretender(is_told_to_end)), list[int]()

    def stop(caught_number: int) -> None:
        caught.append(caught_number)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        run.stop("interrupted", "It was interrupted.")

    with heeding_signals(stop):
        done = await ran(Pretender(is_told_to_end), run=run)
    assert caught == [number]
    assert (done.out, done.code) == ("Half a sen\n", INTERRUPTED)
    assert "maverick: It was interrupted." in done.err
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


async def test_the_demo_too_ends_what_it_has_started() -> None:
    stream = io.StringIO()

    async def work() -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        await ran(Pretender(goes_on))
        return 0

    assert await asyncio.create_task(in_good_order(work(), Paper(stream, 80))) == 128 + signal.SIGTERM
    assert stream.getvalue().endswith("Stopped; what it had started has ended.\n")


async def test_a_signal_that_is_ignored_stays_so() -> None:
    """As `nohup` has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:

        async def work() -> int:
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0)
            return 7

        assert await asyncio.create_task(in_good_order(work(), Paper(io.StringIO(), 80))) == 7
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)

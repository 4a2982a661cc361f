"""Whatever keeps or shows something is held against one table of secrets: none of them gets out."""

from __future__ import annotations

import contextlib
import io
import json
import logging
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import typer
from claude_agent_sdk import ClaudeAgentOptions, CLIJSONDecodeError
from claude_agent_sdk import ProcessError as SdkProcessError
from claude_agent_sdk._errors import MessageParseError

from maverick_tui import AgentContext, AgentResult, ConfigError, MalformedResponseError, MaverickAgent, ProcessError
from maverick_tui.agent.engine.claude.failures import api_failure, wrap_sdk_error
from maverick_tui.agent.engine.claude.notices import Notices
from maverick_tui.agent.engine.claude.scheduling import Jobs
from maverick_tui.agent.engine.claude.transport import STDERR_LINE_LENGTH, CliTransport
from maverick_tui.batch.folder import StartedRun, opened
from maverick_tui.batch.items import Item
from maverick_tui.batch.running import Batch
from maverick_tui.cli import _report, live_text
from maverick_tui.cli.doctor import doctor
from maverick_tui.cli.printer import Printer
from maverick_tui.cli.result_forms import EventLines
from maverick_tui.cli.verdict import verdict_of
from maverick_tui.config import MaverickConfig
from maverick_tui.doctor import checks
from maverick_tui.doctor.findings import Check, Finding
from maverick_tui.events import kinds as ev
from maverick_tui.executor.activity import ToolCallFinished, ToolCallStarted
from maverick_tui.executor.journal import log as journal
from maverick_tui.executor.journal import record, record_activity, write_log
from maverick_tui.executor.model.failures import ours
from maverick_tui.executor.model.messages import Message, Role, ToolCall
from maverick_tui.executor.suspension import Suspension
from maverick_tui.history.export.cast import as_cast
from maverick_tui.history.export.jsonl import as_jsonl
from maverick_tui.history.export.kept import kept_run, masked
from maverick_tui.history.export.markdown import as_markdown, kept_as_markdown
from maverick_tui.history.export.page import as_page
from maverick_tui.history.index import RunIndex
from maverick_tui.history.labels import name_run
from maverick_tui.history.reading import read_run
from maverick_tui.host import notify_command
from maverick_tui.host.far.failures import noise
from maverick_tui.host.far.machines import Machine
from maverick_tui.host.live import LiveRun
from maverick_tui.host.notify_command import Told
from maverick_tui.host.orders import Order
from maverick_tui.host.state import LiveState
from maverick_tui.inert import inert
from maverick_tui.journal.batches import FAILURES
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal
from maverick_tui.journal.writing import Journal
from maverick_tui.markup.hunks import Hunk
from maverick_tui.masking.redact import MASK, conceal, redact
from maverick_tui.offline.cassette_file import Tape
from maverick_tui.offline.cassette_scrubber import Scrubber
from maverick_tui.review.kinds import ChangedFile, ChangedHunk
from maverick_tui.runs.digest import Tally
from maverick_tui.runs.failures import failure_of
from maverick_tui.runs.news import News
from maverick_tui.runs.outcome import ReadOutcome
from maverick_tui.runs.store import RunStore
from maverick_tui.settings_told import settings_told
from maverick_tui.shown import shown
from maverick_tui.ui.changes.diff_text import prepared
from maverick_tui.ui.log_file import kept_log, log_path
from maverick_tui.ui.run.exporting import _plain
from maverick_tui.ui.widgets.prompt_history import PromptHistory
from tests.history.kept import begun, keep
from tests.history.sessions.stored import ID, Session, call
from tests.masking.examples import CONCEALED, EXAMPLES, FIELDS, VARIABLE
from tests.support.runs import Tape as RunTape

log = logging.getLogger("maverick_tui.anything")
KEY = "sk-ant-api03-abcdefghijklmnop"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE_PASSWORD", VARIABLE)
    conceal([CONCEALED])


# -- the table ---------------------------------------------------------------------------------------------------------

TEXTS = [text for _, text in EXAMPLES]
DATA = [data for _, data in FIELDS]


def exported(*events: ev.Event) -> str:
    store = RunStore()
    for event in (ev.RunStarted(0, "r", "shopper"), ev.TurnStarted(1, 1, "go", "p"), *events):
        store.apply(event)
    return as_markdown(store)


def log_file() -> str:
    with kept_log():
        for text in TEXTS:
            log.warning("It said: %s", text)
            log.error("It broke", exc_info=ValueError(text))
    return log_path().read_text()


def executor_journal() -> str:
    file = Path("journal.jsonl")
    handler = write_log(file)
    try:
        for text in TEXTS:
            record("said", "t", "shopper", text=text, parts=[{"deep": (text,)}])
            record_activity(ToolCallFinished("c", text, False, 1.0), "t", "shopper")
            journal.warning("It said: %s", text)
        for data in DATA:
            record_activity(ToolCallStarted(ToolCall("c", "Shop", data)), "t", "shopper")
    finally:
        journal.removeHandler(handler)
        handler.close()
    return file.read_text()


def cassette() -> str:
    file = Path("tape.jsonl")
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))
    for text in TEXTS:
        tape.note("got", {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}})
        for piece in (text[at : at + 5] for at in range(0, len(text), 5)):
            delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}}
            tape.note("got", {"type": "stream_event", "event": delta})
        tape.note("got", {"type": "stream_event", "event": {"type": "content_block_stop"}})
        tape.note("stderr", text)
    for data in DATA:
        tape.note("sent", {"type": "control_response", "response": data})
    tape.close()
    records = [json.loads(line) for line in file.read_text().splitlines()]
    deltas = [
        one["got"]["event"].get("delta", {}) for one in records if one.get("got", {}).get("type") == "stream_event"
    ]
    return file.read_text() + "".join(delta.get("text", "") for delta in deltas)


def export() -> str:
    blocks = [ev.BlockGrew(2, number, text) for number, text in enumerate(TEXTS)]
    starts = [ev.BlockStarted(2, number, "text") for number in range(len(TEXTS))]
    said = [event for pair in zip(starts, blocks, strict=True) for event in pair]
    calls = [ev.ToolCalled(3, f"c{number}", "Shop", data) for number, data in enumerate(DATA)]
    ends = [ev.ToolFinished(4, f"c{number}", text) for number, text in enumerate(TEXTS[: len(DATA)])]
    return exported(*said, *calls, *ends)


def kept_exports() -> str:
    """What is exported of a journal that holds the secrets, say, because nobody knew them when it was written."""
    tape = RunTape().connect().prompt("go")
    for number, text in enumerate(TEXTS):
        tape.say(text, chunk=5).put(ev.Noticed(tape.at, "x", text)).tool("Shop", DATA[number % len(DATA)], text)
    for data in DATA:
        tape.tool("Shop", data, "", detail=data)
    run = kept_run("7f3a", masked(tape.events))
    recording = as_cast(run, lambda stream, width: Printer(stream, width, is_recorded=True))
    return kept_as_markdown(run) + unescape("".join(as_page(run))) + "".join([*as_jsonl(run), *recording])


def told_of_a_run() -> list[ev.Event]:
    """Events in which everything is spoken that must not get out; words come in pieces."""
    events: list[ev.Event] = [ev.RunStarted(0, "7f3a00c0ffee", "shopper")]
    for number, text in enumerate(TEXTS):
        events += [ev.TurnStarted(1, number, text), ev.PromptQueued(1, "p", text), ev.BlockStarted(1, number, "text")]
        events += [ev.BlockGrew(2, number, text[at : at + 5]) for at in range(0, len(text), 5)]
        events += [
            ev.BlockEnded(3, number),
            ev.ToolFinished(3, "c", text, detail={"said": [text]}),
            ev.RunNamed(3, text),
        ]
        failure = ev.Failure("E", "k", text, text, (text,), text, text)
        events += [ev.TurnEnded(4, number, "failed", ev.Usage(), failure=failure), ev.Noticed(4, "x", text)]
    events += [ev.ToolCalled(5, f"c{number}", "Shop", data) for number, data in enumerate(DATA)]
    events += [ev.PermissionAsked(5, f"r{number}", "c", "Shop", data) for number, data in enumerate(DATA)]
    return events


def run_journal() -> str:
    path = journal_of("7f3a00c0ffee")
    kept = Journal(path, print)
    for number, event in enumerate(told_of_a_run()):
        kept.write(number, [event])
    kept.close()
    grown = (event.text for event in read_journal(path).events if isinstance(event, ev.BlockGrew))
    return path.read_text() + "".join(grown)


def event_lines() -> str:
    lines, events = EventLines(), told_of_a_run()
    written = "".join(lines.add(number, [event]) for number, event in enumerate(events))
    told = [json.loads(line) for line in written.splitlines()]
    assert [event["seq"] for event in told] == list(range(len(events)))
    return written + "".join(event["text"] for event in told if event["type"] == "block_grew")


def results_of_a_batch() -> str:
    class Silent:
        def changed(self) -> None: ...

        def failed(self, item: Item, record: dict[str, Any]) -> None: ...

        def said(self, message: str, hint: str = "") -> None: ...

    item, outcome = Item(1, "1", "Look", {}, "", "key"), ReadOutcome()
    for event in told_of_a_run():
        outcome.take(event)
    outcome.failure = failure_of(ProcessError(" ".join(TEXTS)))
    with opened(Path("batch"), "cook") as folder:
        batch = Batch(folder, [item], [], lambda *_: Order("r", "a", "."), verdict_of, Silent())
        batch._record(item, StartedRun("run-1", ""), outcome, None)
    return (Path("batch") / FAILURES).read_text()


def error_text() -> str:
    failures = [failure_of(ProcessError(text, stderr=text, hint=text)) for text in TEXTS]
    told = [api_failure(text, status=400).message for text in TEXTS]
    told += [str(wrap_sdk_error(SdkProcessError("failed", exit_code=1), stderr=text)) for text in TEXTS]
    told += [ours(ValueError(text)).message for text in TEXTS]
    return f"{failures} {told}"


def suspended_state() -> str:
    calls = tuple(ToolCall(f"c{number}", "Shop", data) for number, data in enumerate(DATA))
    messages = tuple(Message(Role.USER, text) for text in TEXTS)
    return Suspension("shopper", messages, messages, calls, handed_in=([*TEXTS, *DATA],)).to_json()


def value_in_a_message() -> str:
    return " ".join(map(shown, TEXTS))


def index_of_runs() -> str:
    run = "7f3a00c0ffee"
    said = [event for number, text in enumerate(TEXTS) for event in ev.whole_block(number, "text", text, 2)]
    ends = [ev.ToolFinished(4, f"c{number}", text) for number, text in enumerate(TEXTS)]
    calls = [ev.ToolCalled(3, f"d{number}", "Edit", data) for number, data in enumerate(DATA)]
    keep(run, [*begun(run), ev.TurnStarted(1, 1, " ".join(TEXTS), "p"), *said, *ends, *calls])
    for text in TEXTS:
        name_run(run, text)
    with RunIndex() as index:
        dump = "\n".join(index._connection.iterdump())
    return dump + "".join(file.read_text() for file in journal_of(run).parent.iterdir())


def sessions_of_claude_code() -> str:
    session = Session().ask(" ".join(TEXTS)).put({"type": "ai-title", "aiTitle": " ".join(TEXTS), "sessionId": ID})
    for number, text in enumerate(TEXTS):
        session.ask(text).answer(text, {"type": "thinking", "thinking": text}, call(f"c{number}", "Shop", said=text))
        session.result(f"c{number}", text, toolUseResult={"said": [text]})
    for number, data in enumerate(DATA):
        session.answer(call(f"d{number}", "Shop", **data)).result(f"d{number}", "", toolUseResult=data)
    session.answer(" ".join(TEXTS), isApiErrorMessage=True).write()
    dumps: list[str] = []
    for seconds in (0, None):
        with RunIndex() as index:
            index.read_sessions(seconds)
            dumps += index._connection.iterdump()
    return "\n".join(dumps) + repr(read_run(ID))


def settings_shown() -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MAVERICK_ENV", json.dumps({f"A{number}": text for number, text in enumerate(TEXTS)}))
        return " ".join(f"{one}" for one in settings_told())


def doctor_report() -> str:
    findings = [Finding("It", "wrong", text, text, {"said": text}) for text in TEXTS]
    out = io.StringIO()
    for as_json in (False, True):
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.suppress(typer.Exit):
            patch.setattr(checks, "CHECKS", (Check("It", lambda _: findings),))
            doctor(as_json)
    return out.getvalue()


def news_by_command() -> str:
    told = [Told("r", "shopper", text, News("failed", f"failed: {text}")).values for text in TEXTS]
    return json.dumps([told, [notify_command._failure(1, text) for text in TEXTS]], ensure_ascii=False)


def list_of_live_runs() -> str:
    files = [{"since": 1.0, "files": 1, "file_names": [text]} for text in TEXTS]
    states: list[dict[str, Any]] = [
        *({"first_prompt": text, "agent": "shopper"} for text in TEXTS),
        *({"name": text, "away": away, "folder": text} for text, away in zip(TEXTS, files, strict=True)),
    ]
    runs = [LiveRun("7f3a00c0ffee", state, 1.0, has_host=True) for state in states]
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setattr(live_text, "WIDEST_TITLE", 10_000)
        patch.setattr(live_text, "terminal_width", lambda: 20_000)
        live_text.print_live(runs)
    return out.getvalue() + json.dumps([run.to_json() for run in runs], ensure_ascii=False)


def diff_on_the_screen() -> str:
    hunks = [Hunk(1, 1, tuple(f"+{line}" for line in text.split("\n"))) for text in TEXTS]
    diff = prepared(ChangedFile("a", "changed"), [ChangedHunk(hunk, (), (), ()) for hunk in hunks], ())
    return "\n".join(line.text for line in diff.lines)


OUTLETS = [
    log_file, executor_journal, cassette, export, kept_exports, run_journal, event_lines, index_of_runs, error_text,
    sessions_of_claude_code, suspended_state, value_in_a_message, settings_shown, doctor_report, news_by_command,
    list_of_live_runs, results_of_a_batch, diff_on_the_screen,
]  # fmt: skip
OF_DATA = (
    executor_journal, cassette, export, kept_exports, run_journal, event_lines, index_of_runs, sessions_of_claude_code,
    suspended_state,
)  # fmt: skip


@pytest.mark.parametrize("outlet", OUTLETS, ids=lambda outlet: outlet.__name__)
def test_no_secret_of_the_table_gets_out(
    outlet: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = outlet()
    table = [*EXAMPLES, *(FIELDS if outlet in OF_DATA else ())]
    assert [secret for secret, _ in table if secret in written] == []
    assert written.count(MASK) >= len(EXAMPLES)


async def test_no_secret_of_the_table_is_in_the_file_of_earlier_prompts(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    for text in TEXTS:
        history.add(text)
    await history.save()
    written = history.path.read_text()
    assert [secret for secret, _ in EXAMPLES if secret in written] == []


def test_no_secret_of_the_table_is_in_what_the_command_line_reports(capsys: pytest.CaptureFixture[str]) -> None:
    for text in TEXTS:
        _report(ConfigError(text, hint=text))
    told = capsys.readouterr().err
    assert [secret for secret, _ in EXAMPLES if secret in told] == []
    assert told.count(MASK) >= len(EXAMPLES)


# -- one by one --------------------------------------------------------------------------------------------------------


def test_errors_hold_no_secrets() -> None:
    stderr = f"cannot log in with {KEY}\nnor with {VARIABLE}"
    process = wrap_sdk_error(SdkProcessError("failed", exit_code=1), stderr=stderr)
    line = wrap_sdk_error(CLIJSONDecodeError(f'{{"key": "{KEY}"', ValueError("cut")))
    message = wrap_sdk_error(MessageParseError("odd", {"token": KEY}))
    refused = api_failure(f"Invalid key {KEY}", status=401)
    assert isinstance(process, ProcessError)
    assert isinstance(line, MalformedResponseError)
    assert isinstance(message, MalformedResponseError)
    for text in (str(process), process.stderr, line.raw_response, message.raw_response, str(refused)):
        assert text is not None
        assert KEY not in text
        assert VARIABLE not in text


def test_what_the_cli_says_is_masked_before_its_lines_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = CliTransport(ClaudeAgentOptions())
    transport._keep_words("x" * (STDERR_LINE_LENGTH - 6) + VARIABLE)
    assert "hunter" not in transport.stderr_tail


def test_a_raw_answer_is_masked_before_it_is_cut() -> None:
    doc = "x" * 9_994 + VARIABLE
    failure = ours(json.JSONDecodeError("no JSON", doc, 0))
    assert isinstance(failure, MalformedResponseError)
    assert failure.raw_response is not None
    assert "hunter" not in failure.raw_response


def told_first(text: str) -> str:
    state = LiveState()
    state.take(ev.TurnStarted(1, 1, text, "p"))
    return json.dumps(LiveRun("7f3a00c0ffee", state.to_json(), 1.0, has_host=True).to_json())


def told_by_the_cli(text: str) -> str:
    running = {"task_id": "t", "tool_use_id": "c", "description": text}
    return redact(repr(Notices().read("task_started", running, 1.0)))


def listed_job(text: str) -> str:
    return redact(repr(Jobs().listed([{"id": "j", "prompt": text}], 1.0)))


def machine_that_talks(text: str) -> str:
    return redact(noise(Machine("far"), text).message)


def files_changed_while_nobody_looked(text: str) -> str:
    tally = Tally()
    tally.begin(0.0, ev.Usage())
    tally.take(ev.ToolCalled(1, "c", "Write", {"file_path": text, "content": ""}))
    tally.take(ev.ToolFinished(2, "c", ""))
    return redact(repr(tally.digest(ev.Usage())))


@pytest.mark.parametrize(
    ("longest", "told"),
    [
        (500, told_first),
        (ev.LONGEST_NOTICE, told_by_the_cli),
        (2_000, listed_job),
        (40, _plain),
        (300, machine_that_talks),
        (500, files_changed_while_nobody_looked),
    ],
)
def test_a_text_is_masked_before_it_is_cut(longest: int, told: Callable[[str], str]) -> None:
    text = told("x" * (longest - 8) + f" {VARIABLE}")
    assert "xxxx" in text
    assert "hunter" not in text


def test_what_settings_and_servers_are_given_is_concealed() -> None:
    MaverickConfig.load(env={"SHOP_TOKEN": "settings-word", "COLOUR": "turquoise"})

    class Shopper(MaverickAgent):
        system_prompt = "Shop."
        mcp_servers = {
            "shop": {"command": "x", "args": ["--token=args-word"], "env": {"A": "word-77-word", "ROOT": "/srv/shop"}},
            "remote": {"type": "http", "url": "https://x.example", "headers": {"X-Auth": "header-word"}},
        }

        async def execute(self, context: AgentContext) -> AgentResult:
            return await self.run("go", context)

    Shopper()._build_options()
    words = "settings-word args-word word-77-word header-word"
    assert redact(f"{words} turquoise /srv/shop") == "[secret] [secret] [secret] [secret] turquoise /srv/shop"


def test_a_failed_run_and_its_export_hold_no_secrets() -> None:
    conceal(["only-a-server-knows"])
    told = f"refused only-a-server-knows, {KEY} and {VARIABLE}"
    failure = failure_of(ProcessError(told, stderr=told))
    store = RunStore()
    for event in (
        ev.RunStarted(0, "r", "shopper"),
        ev.TurnStarted(1, 1, told, "p"),
        ev.BlockStarted(2, 1, "text"),
        ev.BlockGrew(2, 1, told),
        ev.ConnectFailed(3, failure),
    ):
        store.apply(event)
    exported = as_markdown(store)
    assert exported.count("[secret]") == 9
    for text in (str(failure), exported):
        assert not [secret for secret in ("only-a-server-knows", KEY, VARIABLE) if secret in text]


def test_what_grep_has_coloured_is_masked_in_an_export() -> None:
    coloured = f"\x1b[01;31m\x1b[K{KEY[:7]}\x1b[m\x1b[K{KEY[7:]}"
    store = RunStore()
    for event in (ev.RunStarted(0, "r", "a"), ev.TurnStarted(1, 1, coloured, "p"), ev.BlockStarted(2, 1, "text"),
                  ev.BlockGrew(2, 1, inert(coloured))):  # fmt: skip
        store.apply(event)
    exported = as_markdown(store)
    assert KEY[7:] not in exported
    assert exported.count("[secret]") == 2

"""A thousand streams that break somewhere: what is yielded is exactly what was sent, to the last character."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from claude_agent_sdk import CLIConnectionError, CLIJSONDecodeError, StreamEvent
from claude_agent_sdk import ProcessError as SdkProcessError
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from maverick_tui import AgentError, MaverickConfig, StreamingError, extract_all_text
from maverick_tui.offline.player import AskedPrompt
from maverick_tui.offline.script import Answer, DropFault, Pace, TextStep
from maverick_tui.offline.stream import ScriptedReply, Struck, prepare, until_struck
from tests.support.agents import Talker, drain
from tests.support.replay import Frame, assistant, delta, init, replay, result, stream_event, tool_result
from tests.support.sampling import examples

CONVERSATION = AskedPrompt(agent="", system="", prompt="", turn=1, step=0, results={}, size=0)

TEXTS = st.one_of(
    st.text(max_size=30),
    st.text(alphabet='a \n\t\r\u00a0\u2028\u0301\u200d\u202e{}"\\$é漢🙂👩🏽\U0001f1e9\U0001f1ea\0', max_size=40),
    st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=5), st.integers(0, 30)),
    st.just(""),
)
LONG = "Zalgo\u0301\u0302 says 🙂\n" * 800
INPUTS = st.dictionaries(st.text(max_size=8), st.one_of(TEXTS, st.integers(), st.booleans(), st.none()), max_size=3)
STEPS = st.one_of(
    TEXTS.map(lambda text: {"text": text}),
    TEXTS.map(lambda text: {"text": text}),
    TEXTS.map(lambda text: {"thinking": text}),
    INPUTS.map(lambda values: {"tool": "Read", "input": values}),
)
ENDS: list[Exception | Frame | None] = [
    None,
    OSError("broken pipe"),
    ConnectionResetError("reset"),
    asyncio.TimeoutError(),
    ValueError("anything else"),
    SdkProcessError("died", exit_code=-9),
    CLIConnectionError("gone"),
    CLIJSONDecodeError("{", ValueError("not JSON")),
    result(subtype="success", is_error=True, result="API Error: Connection lost", api_error_status=None),
]


@dataclass
class Broken:
    """Answers of which the last one breaks: the frames that a CLI would write, and the text of what was sent."""

    frames: list[Frame | Exception | float]
    messages: list[list[str]]
    is_struck: bool
    has_content: bool

    @property
    def text(self) -> str:
        """A line break between the blocks of a message, a blank line between messages."""
        return "\n\n".join("\n".join(blocks) for blocks in self.messages if blocks)


def break_off(answers: list[Answer], cut: float | str | None, in_bytes: bool, end: Any, noise: bool) -> Broken:
    """`cut` is a share of the last answer's events or bytes, a place in it, or None if it does not break."""
    replies = [prepare(answer, CONVERSATION, "m", Pace()) for answer in answers]
    streams = [[event.data for event in reply.events()] for reply in replies]
    total = sum(map(len, streams[-1])) if in_bytes else len(streams[-1])
    fault = None
    if isinstance(cut, str):
        fault = DropFault.model_validate({"kind": "drop", "at": cut})
    elif cut is not None:
        fault = DropFault.model_validate(
            {"kind": "drop", "after_bytes" if in_bytes else "after_events": int(cut * total)}
        )
    broken = Broken([init()], [], fault is not None, has_content=False)
    for number, (reply, stream) in enumerate(zip(replies, streams, strict=True)):
        is_last = number == len(replies) - 1
        sent, whole = b"".join(stream), b"".join(stream)
        if is_last and fault is not None:
            events = list(until_struck(reply.events(), fault))
            assert isinstance(events.pop(), Struck), "every fault strikes, and nothing comes after it"
            sent = b"".join(event.data for event in events if not isinstance(event, Struck))
            assert whole.startswith(sent)
            assert len(sent) <= len(whole) - len(stream[-1])
            if fault.after_bytes is not None:
                assert len(sent) == min(fault.after_bytes, len(whole) - len(stream[-1]))
        for frame in _as_the_cli_writes_it(reply, sent, broken):
            broken.frames.append(frame)
            if noise:
                broken.frames.append(stream_event(delta("NOISE")["event"], parent="a-subagent"))
    if not broken.is_struck:
        broken.frames.append(result())
    elif end is not None:
        broken.frames.append(end)
    return broken


ANSWERS = st.lists(st.lists(STEPS, max_size=3).map(lambda steps: Answer(steps=tuple(steps))), min_size=1, max_size=3)
CUTS = st.one_of(
    st.floats(0, 1.05), st.floats(0, 1.05), st.sampled_from(["start", "thinking", "text", "tool", "end"]), st.none()
)


def _as_the_cli_writes_it(reply: ScriptedReply, sent: bytes, broken: Broken) -> Iterator[Frame]:
    """A frame for each event that came whole, and one for each block that did; notes the text that the model sent."""
    *whole, _cut = sent.split(b"\n\n")
    text, texts = "", list[str]()
    broken.messages.append(texts)
    for lines in whole:
        event: dict[str, Any] = json.loads(lines.partition(b"\ndata: ")[2])
        if event["type"] == "ping":
            continue
        if event["type"] == "content_block_start":
            text = ""
        if event["type"] == "content_block_stop":
            if text:
                texts.append(text)
            text = ""
            frame = assistant(_block(reply.blocks[event["index"]]))
            yield {**frame, "message": {**frame["message"], "id": reply.message_id}}
        if event["type"] == "content_block_delta" and event["delta"]["type"] == "text_delta":
            text += event["delta"]["text"]
        broken.has_content |= event["type"] in ("content_block_delta", "content_block_stop")
        yield stream_event(event)
    if text:
        texts.append(text)
    for block in reply.blocks:
        if block["type"] == "tool_use" and whole and b"message_stop" in whole[-1]:
            yield tool_result(block["id"])


def _block(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "signature": "s"} if block["type"] == "thinking" else block


@settings(
    max_examples=examples(20, 250),
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@example([Answer(steps=(TextStep(text=LONG),))], 0.7, True, OSError("gone"), False)
@example([Answer(steps=(TextStep(text=LONG), TextStep(text="x" + LONG)))], 0.99, False, None, False)
@given(answers=ANSWERS, cut=CUTS, in_bytes=st.booleans(), end=st.sampled_from(ENDS), noise=st.booleans())
def test_the_text_is_exactly_what_was_sent(
    answers: list[Answer], cut: float | str | None, in_bytes: bool, end: Any, noise: bool
) -> None:
    broken = break_off(answers, cut, in_bytes, end, noise)
    agent = Talker(config=MaverickConfig(timeout=60), transport=replay(*broken.frames))
    got, error = asyncio.run(drain(agent.query("go")))
    assert extract_all_text(got) == broken.text
    sent = [frame for frame in broken.frames if isinstance(frame, dict) and frame["type"] == "stream_event"]
    assert [message.event for message in got if isinstance(message, StreamEvent)] == [frame["event"] for frame in sent]
    if not broken.is_struck:
        assert error is None
        return
    assert isinstance(error, AgentError)
    if broken.has_content:
        assert isinstance(error, StreamingError)
    elif not sent:
        assert not isinstance(error, StreamingError)
    if isinstance(error, StreamingError):
        assert error.partial_messages == got
        assert isinstance(error.__cause__, AgentError)

"""Pictures: recognised, sent before the words, and counted."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor import AgentExecutor, Image, Message, TerminateReason
from maverick_tui.executor.model.wire import message_blocks
from tests.executor.support import Model, define, says, watch

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.mark.parametrize(
    ("data", "kind"),
    [(PNG, "png"), (b"\xff\xd8\xff\xe0", "jpeg"), (b"GIF89a", "gif"), (b"RIFF\0\0\0\0WEBPVP8 ", "webp")],
)
def test_a_picture_is_known_by_its_first_bytes(data: bytes, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "picture.txt"
    file.write_bytes(data)
    for image in (Image.of(data), Image.of(file), Image.of(str(file))):
        assert (image.media_type, base64.b64decode(image.data)) == (f"image/{kind}", data)


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="in no format that a model can see"):
        Image.of(b"%PDF-1.7")
    with pytest.raises(ConfigError, match=r"nothing\.png"):
        Image.of(tmp_path / "nothing.png")


async def test_pictures_go_with_the_task_and_count() -> None:
    image = Image.of(PNG)
    model = Model(says("A dot."))
    watched = await watch(model, define("What is it?"), images=[image])
    [message] = model.requests[0].messages
    assert message == Message.user("What is it?", [image])
    [sent] = message_blocks([message], cache=False)
    assert sent["content"] == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": image.data}},
        {"type": "text", "text": "What is it?"},
    ]
    assert image.data not in repr(watched.result), "a log would be all picture"
    refused = await watch(Model(), define("What is it?", run={"max_input_tokens": 3_000}), images=[image])
    assert refused.result.terminate_reason is TerminateReason.BUDGET
    stream = AgentExecutor(Model(says("A dot."))).stream(define(prompt={}), images=[image])
    assert "turn_end" in [event.type async for event in stream], "a picture alone is something to do"

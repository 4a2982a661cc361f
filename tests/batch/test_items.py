"""The prompts of a batch: read by line, known again, and told by their lines where they are none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from maverick_tui.batch import items
from maverick_tui.batch.items import read_items
from maverick_tui.exceptions import ConfigError


def test_objects_and_texts_are_prompts_and_empty_lines_are_none() -> None:
    Path("p.jsonl").write_bytes(
        b'\xef\xbb\xbf{"prompt": "one", "id": 7, "inputs": {"salt": 3}, "model": "m"}\r\n\n'
        b'"two"\n{"inputs": {"a": "b"}}\n'
    )
    one, two, own = read_items(Path("p.jsonl"), is_jsonl=True)
    assert one[:5] == (1, "7", "one", {"salt": 3}, "m")
    assert two[:5] == (3, "3", "two", {}, "")
    assert (own.line, own.prompt) == (4, None)
    Path("lines").write_text('{"as": "it is"}\n  two\n')
    assert [item.prompt for item in read_items(Path("lines"), is_jsonl=False)] == ['{"as": "it is"}', "  two"]


def test_what_has_no_end_is_not_read_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("p.jsonl").symlink_to(os.devnull)  # it has an end, for whoever would read it; /dev/zero has none
    with pytest.raises(ConfigError, match="cannot be read: It is not a file"):
        read_items(Path("p.jsonl"), is_jsonl=True)
    reads, writes = os.pipe()
    with os.fdopen(reads), os.fdopen(writes, "w") as told:
        told.write("one\n")
        told.flush()
        monkeypatch.setattr(items, "_MOST_BYTES", 3)
        with pytest.raises(ConfigError, match="cannot be read: It has more than 3 bytes"):
            read_items(Path(f"/dev/fd/{reads}"), is_jsonl=False)


def test_a_prompt_is_known_again_where_lines_were_added_and_twins_are_told_apart() -> None:
    Path("p").write_text("one\ntwo\none\n")
    before = [item.key for item in read_items(Path("p"), is_jsonl=False)]
    assert len(set(before)) == 3
    Path("p").write_text("new\none\ntwo\none\n")
    assert [item.key for item in read_items(Path("p"), is_jsonl=False)][1:] == before


def test_every_line_that_is_no_prompt_is_told_with_its_number() -> None:
    wrong = [
        ("{", "it is not JSON"),
        ("[1]", "it is neither an object nor a text"),
        ('{"promt": "x"}', "Did you mean 'prompt'?"),
        ('{"prompt": " "}', "its prompt is empty"),
        ('{"prompt": 3}', "its prompt is not a text"),
        ('{"prompt": "x", "inputs": 1}', "its inputs are not an object"),
        ('{"prompt": "x", "id": true}', "its id is neither a text nor a number"),
        ('{"prompt": "x", "model": ""}', "its model is not a name"),
        ('{"prompt": "x", "id": "ok"}', "the id 'ok' is that of line 1"),
        ("[" * 100_000, "it is nested too deeply"),
        ("{", "and 2 more"),
        ("{", "12 lines of p.jsonl cannot be used; nothing was started."),
    ]
    Path("p.jsonl").write_text("\n".join([json.dumps({"prompt": "fine", "id": "ok"}), *(line for line, _ in wrong)]))
    with pytest.raises(ConfigError) as refused:
        read_items(Path("p.jsonl"), is_jsonl=True)
    for number, (_, why) in enumerate(wrong, 2):
        assert why in refused.value.message
        assert (f"line {number}: " in refused.value.message) == (number < 12)
    Path("p.jsonl").write_text('{"prompt": "x", "inputs": {"a": %s}}' % ("1" * 5_000))
    with pytest.raises(ConfigError, match=r"line 1: Exceeds the limit \(4300 digits\)"):
        read_items(Path("p.jsonl"), is_jsonl=True)
    Path("p").write_bytes(b"fine\n\xff\n")
    with pytest.raises(ConfigError, match="line 2: it is not UTF-8"):
        read_items(Path("p"), is_jsonl=False)
    Path("p").write_text("\n\n")
    with pytest.raises(ConfigError, match="There is no prompt in p"):
        read_items(Path("p"), is_jsonl=False)

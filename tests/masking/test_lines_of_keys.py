"""The lines of a private key are masked wherever they are in the same data, also by themselves, as a patch has them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from maverick_tui.masking.private_keys import key_lines
from maverick_tui.masking.redact import MASK, masked, redact_data, redact_fields, without_keys_of
from tests.masking.keys import DRESSINGS, KEYS, Key, a_key, told_of
from tests.support.cases import each
from tests.support.effort import effort
from tests.support.sampling import examples

CERTIFICATE = ["-----BEGIN CERTIFICATE-----", *["MIIDdzCCAl+gAwIBAgIEAgAAuTAN" * 2] * 3, "-----END CERTIFICATE-----"]


by_shape = masked
"""Without a look at the environment for each line, which takes longer than all else."""


def left(key: Key, data: Any) -> list[str]:
    return told_of(key, json.dumps(data).replace("\\/", "/"))


@each("dressing", DRESSINGS)
def test_a_key_is_masked_in_a_list_of_its_lines_however_they_are_shown(dressing: str) -> None:
    for seed in range(examples(1, 50)):
        for kind, is_cut in (("RSA", False), ("PGP", True), ("EC", False), ("OPENSSH", True)):
            key = a_key(kind, dressing, seed, 64, is_cut)
            for sign in ("", "+"):
                lines = [f"{sign}{line}" for line in ["port: 1", *key.text.split("\n"), "host: a"]]
                masked = redact_data({"patch": [{"oldStart": 3, "lines": lines}]}, text=by_shape)["patch"][0]["lines"]
                # The last few letters, with a name before them, are known for nothing by themselves.
                long = key._replace(body=tuple(line for line in key.body if len(line) > 9))
                assert left(long, masked) == [], lines
                assert len(masked) == len(lines)
                assert (masked[0], masked[-1]) == (lines[0], lines[-1])
                assert any(MASK in line for line in masked)


@given(KEYS)
def test_the_lines_of_a_key_are_masked_wherever_they_are_beside_it(key: Key) -> None:
    data = {"whole": key.text, "some": ["port: 1", *(f"+  {line}" for line in key.body[1:3])]}
    masked = redact_data(data)
    assert left(key, masked["some"]) == [] or len(key.body[2]) < 20
    assert masked["some"][0] == "port: 1"


@pytest.mark.parametrize("form", [
    " {}", "-    {}", "+{}", "    12\u2192{}", "conf.yml-3-    {}", '    "{}\\n",', "{}\n", "a\\n{}\\nb",
    "\x1b[32m{}\x1b[m",
])  # fmt: skip
def test_a_line_of_a_key_that_another_text_has_is_masked_in_whatever_shape(form: str) -> None:
    key = a_key("RSA", "indented", 1, 64, is_cut=False)
    assert not any(sign in line[0] + line[-1] for line in key.body[:3] for sign in "+/")
    masked = redact_fields({"detail": {"oldString": key.text}, "output": [form.format(line) for line in key.body[:3]]})
    assert masked["output"] == [form.format(MASK)] * 3


def test_the_lines_of_a_patch_keep_their_signs_and_places() -> None:
    key = a_key("RSA", "plain", 5, 64, is_cut=False)
    lines = ["   key: |", *(f"-    {line}" for line in key.text.split("\n")), "+    (gone)", " port: 1"]
    masked = redact_data(lines)
    head = "-----BEGIN RSA PRIVATE KEY-----"
    assert masked[:2] == ["   key: |", f"-    {head}"]
    assert {line.rstrip("=") for line in masked[2:-3]} == {f"-    {MASK}"}
    assert masked[-2:] == ["+    (gone)", " port: 1"]


def test_what_stands_around_the_lines_of_a_key_is_kept() -> None:
    key = a_key("RSA", "plain", 7, 64, is_cut=True)
    begun = "\n".join(key.text.split("\n")[:4])
    data = {
        "content": [{"type": "text", "text": begun}, {"type": "text", "text": "update"}],
        "type": "update", "names": ["tests/fixtures/key.pem", "text", "Makefile"], "lines": CERTIFICATE, "count": 3,
    }  # fmt: skip
    masked = redact_data(data)
    assert all(masked[name] == value for name, value in data.items() if name != "content")
    assert masked["content"][1] == data["content"][1]  # type: ignore[index]
    assert left(key, masked) == []


@pytest.mark.parametrize("lines", [CERTIFICATE, ["-----BEGIN RSA PRIVATE KEY-----", "is how it begins", "MIIEow"]])
def test_lists_without_a_key_are_kept(lines: list[str]) -> None:
    assert redact_data({"lines": lines, "more": lines}) == {"lines": lines, "more": lines}


def test_data_can_be_without_the_keys_of_other_data() -> None:
    key = a_key("RSA", "indented", 11, 64, is_cut=False)
    detail = {"structuredPatch": [{"lines": [f" {key.body[1]}", "-x", f" {key.body[2]}"]}], "token": "abc"}
    masked = without_keys_of(key.text, detail)
    assert masked == {"structuredPatch": [{"lines": [f" {MASK}", "-x", f" {MASK}"]}], "token": "abc"}
    assert without_keys_of("no key", detail) is detail
    assert without_keys_of(None, detail) is detail


@pytest.mark.explore
def test_what_masking_lines_costs_grows_with_their_number() -> None:
    lines = [line for seed in range(400) for line in a_key("RSA", "plain", seed, 64, is_cut=False).text.split("\n")]
    assert sum(1 for _ in key_lines("\n".join(lines))) > 2_000
    assert effort(lambda: redact_data({"lines": lines}, text=str)) < 60
    hostile = {"key": "\n".join(lines[:9]), "other": ["\\" * 100_000, "a+" * 50_000, "+/" * 50_000, "a\\" * 50_000]}
    assert effort(lambda: redact_data(hostile, text=str)) < 40

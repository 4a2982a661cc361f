"""What somebody repeats on one line to keep the masker busy: twice as much of it takes twice as long, not four times.

While it masks, the event loop of a run stands still, and what is masked may be any line of any file.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from maverick_tui.journal.masked_text import PiecewiseMask
from maverick_tui.masking import private_keys
from maverick_tui.masking.readings import unescaped
from maverick_tui.masking.redact import held_from, redact
from maverick_tui.masking.shapes import BEGINNINGS
from tests.support.cases import each
from tests.support.sampling import in_parts

CODED = "LS0tLS1CRUdJTiBQUklWQVRFIEtFWAAAA"
OPENSSH = "b3BlbnNzaC1rZXktdjE" + "A" * 20
KEYS = [
    *(f"{begins}{between}" for begins in ("Private-Lines:1", OPENSSH, CODED) for between in ("", " ", "-", "\\", '"')),
    *(f"Version: {begins}{ends}" for begins in ("Private-Lines:1", OPENSSH, CODED) for ends in ("\n", "\\n")),
    "-----BEGIN PRIVATE KEY-----x", "-----BEGIN PRIVATE KEY-----\n\n", "-----END PRIVATE KEY-----x",
    f"-----BEGIN PRIVATE KEY-----{OPENSSH}-",
]  # fmt: skip
LENGTH = 6_000


@each("unit", KEYS)
def test_a_line_full_of_beginnings_of_keys_is_judged_twice_at_most(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged, judge = list[int](), private_keys._judged

    def noted(line: str, ways: tuple[private_keys._Way, ...]) -> private_keys._Line:
        judged.append(len(line))
        return judge(line, ways)

    with monkeypatch.context() as patch:
        patch.setattr(private_keys, "_judged", noted)
        for blocks in (private_keys.key_spans, private_keys._blocks):
            judged.clear()
            assert len([*blocks(unit * (LENGTH // len(unit)))]) < LENGTH
            assert sum(judged) <= 3 * LENGTH


LONGER = 8
MOST = 3 * LONGER
"""Times as long as a text may take that is so many times as long; what takes the square of it takes `LONGER` as long
once more.
"""


def ratio(work: Callable[[str], object], unit: str, length: int) -> float:
    short, long = (unit * (most // len(unit) + 1) for most in (length, LONGER * length))
    return min(map(_seconds_of, [work] * 2, [long] * 2)) / min(map(_seconds_of, [work] * 4, [short] * 4))


def _seconds_of(work: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    work(text)
    return time.process_time() - began


@each("unit", ["Private-Lines:1", f"{OPENSSH}-", "PWD={https://a:", "://:{", '\\\\\\"token', "\\n-\ntoken"])
def test_what_is_repeated_takes_as_long_as_it_is_long(unit: str) -> None:
    for work in (redact, held_from):
        assert ratio(work, unit, LENGTH // LONGER) < MOST


def test_levels_of_escapes_take_no_more_than_what_is_near_to_them() -> None:
    text = "token=" * 20_000 + "\\" * 2**14 + '"' + "token=" * 20_000
    read, parts = 0, [text]
    while parts:
        parts = [part.text for whole in parts for part in unescaped(whole)]
        read += sum(map(len, parts))
    assert read < 2 * len(text)


def streamed(text: str) -> str:
    mask, length = PiecewiseMask(lambda: ()), len(text) // 20 + 1
    pieces = [(at, text[at : at + length]) for at in range(0, len(text), length)]
    told = dict[int, str]()
    for number, piece in pieces:
        known = mask.add([(number, piece)])
        told |= {number: known.now[0], **dict(known.late)}
    return "".join((told | dict(mask.end())).values())


@each("work", [redact, streamed])
def test_a_backslash_that_is_spelled_again_and_again_is_masked_at_once(work: Callable[[str], str]) -> None:
    for line in ("", "one\n"):
        told = work(f"{line}two=\\{'u005c' * 1_500}u0061")
        assert told in (f"{line}[secret]", f"{line}two=[secret]")
    assert ratio(lambda text: work(f"\\{text}"), "u005c", LENGTH) < MOST


def test_what_may_be_such_a_backslash_is_held() -> None:
    assert held_from("one\n\\" + "u005c" * 1_500) == len("one\n")


FILLS = [
    "",
    " ",
    "a",
    "1",
    "aB1",
    "=",
    "'",
    "\\",
    '\\"',
    "\\n",
    "\n",
    ": ",
    ":",
    "{",
    "(",
    "; a=1",
    "@",
    "/",
    "://",
    ".",
    "-",
]


@pytest.mark.explore
@pytest.mark.parametrize("heads", in_parts(sorted(BEGINNINGS), 20))
def test_no_beginning_of_a_secret_is_dear_when_it_is_repeated(heads: list[str]) -> None:
    units = [f"{head}{fill}" for head in heads for fill in FILLS]
    assert [unit for unit in units if ratio(redact, unit, LENGTH // LONGER) > MOST] == []

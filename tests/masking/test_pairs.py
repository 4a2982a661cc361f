"""A value below its name is masked however the lines are shown: by Read and cat, by grep, in a diff, as a list."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from maverick_tui.journal.masked_text import PiecewiseMask
from maverick_tui.masking.redact import MASK, redact, redact_data
from tests.masking.examples import RANDOM
from tests.support.cases import each

PAIRS = [
    ["- env:", "  - name: DB_PASSWORD", "    value: {}", "  - name: CITY"],
    ["{{", '  "name": "DB_PASSWORD",', '  "value": "{}"', "}}"],
    ["<x>", '<add key="DbPassword"', '  value="{}"/>', "</x>"],
    ["a:", "  - name: DB_PASSWORD", "    value: 'Dx7Qk2({}'", "b:"],
]
BELOW = [
    ["ALTER USER me WITH", "  PASSWORD '{}';", "COMMIT;"],
    ["machine api.example", "  login me", "  password {}", "macdef x"],
]
"""Where what tells of a secret stands on another line, or in the value's own, and no name is beside it."""


def _numbered(form: str) -> Callable[[list[str]], str]:
    return lambda lines: "\n".join(form.format(number, line) for number, line in zip(count(9), lines, strict=False))


WAYS = {
    "plain": _numbered("{1}"), "with CRLF": "\r\n".join, "in a diff": _numbered("+{1}"), "removed": _numbered("-{1}"),
    "by Read": _numbered("{0:>6}\u2192{1}"), "by cat": _numbered("{0:>6}\t{1}"),
    "by grep": _numbered("a/b.yaml:{0}:{1}"),
    "around what grep found": _numbered("a/b-2.yaml-{0}-{1}"), "by grep without names": _numbered("{0}:{1}"),
    "a diff by Read": _numbered("{0:>6}\u2192 {1}"),
}  # fmt: skip


@each("way", WAYS)
def test_a_value_below_its_name_is_masked_however_it_is_shown(way: str) -> None:
    for form in (*PAIRS, *BELOW):
        lines = [line.format(RANDOM) for line in form]
        shown = WAYS[way](lines)
        masked = redact(shown)
        assert RANDOM not in masked, shown
        assert masked.count("\n") == shown.count("\n")
        for at in range(1, len(shown)) if form is PAIRS[0] else ():
            assert RANDOM not in _in_two(shown, at), (shown[:at], shown[at:])


def _in_two(text: str, at: int) -> str:
    mask, kept = PiecewiseMask(set), dict[int, str]()
    for number, piece in enumerate((text[:at], text[at:])):
        known = mask.add([(number, piece)])
        kept |= {number: known.now[0], **dict(known.late)}
    return "".join((kept | dict(mask.end())).values())


@each("way", ["plain", "in a diff", "by Read", "by grep"])
def test_a_value_below_its_name_is_masked_where_each_line_is_a_text_of_its_own(way: str) -> None:
    for form in PAIRS:
        lines = WAYS[way]([line.format(RANDOM) for line in form]).split("\n")
        masked = redact_data({"structuredPatch": [{"oldStart": 3, "lines": lines}]})["structuredPatch"][0]["lines"]
        assert RANDOM not in "".join(masked)
        assert [line for line in masked if MASK not in line] == [line for line in lines if RANDOM not in line]
        assert [line[0] for line in masked] == [line[0] for line in lines]


@each("lines", [
    ["  - name: DB_PASSWORD", "    value: ${{DB_PASSWORD}}"], ["- name: token", "  valueFrom:", "    key: x1y2z3a4"],
    ["  - name: CITY", "    value: Hamburg-22087"], ["name: 'token',", "value: token2,"], ["name", "value: abc12345"],
    ['<input name="token"', '  value="{{ old }}">'], ["name: password", "", "12 values: a1b2c3d4"],
])  # fmt: skip
def test_other_lines_below_a_name_are_kept(lines: list[str]) -> None:
    for way in WAYS.values():
        assert redact(way(lines)) == way(lines)
    assert redact_data(lines) == lines

"""What is masked in a text is masked in the JSON of it, and in the JSON of that: so a tool's arguments are streamed."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maverick_tui.journal.masked_text import PiecewiseMask
from maverick_tui.masking.readings import unescaped
from maverick_tui.masking.redact import MOST_LEVELS, conceal, held_from, known_values, redact, redact_data
from maverick_tui.masking.shapes import BEGINNINGS
from tests.masking.examples import CONCEALED, EXAMPLES, RANDOM, VARIABLE
from tests.support.cases import each
from tests.support.sampling import examples

LEVELS = 3


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE_PASSWORD", VARIABLE)
    conceal([CONCEALED])


def is_told(secret: str, text: str) -> bool:
    """Whether a part of it is there; of a token its first letters are no secret."""
    least = min(8, len(secret) - 8)
    return any(secret[at : at + 8] in text for at in range(least, len(secret) - 7))


def in_two(text: str, at: int, values: frozenset[str]) -> str:
    mask, kept = PiecewiseMask(lambda: values), dict[int, str]()
    for number, piece in enumerate((text[:at], text[at:])):
        known = mask.add([(number, piece)])
        kept |= {number: known.now[0], **dict(known.late)}
    kept |= dict(mask.end())
    return kept[0] + kept[1]


@each(("secret", "text"), EXAMPLES)
def test_a_secret_is_masked_in_each_json_of_its_text(secret: str, text: str) -> None:
    coded = f"Look: {text}\nand so on"
    for _ in range(LEVELS):
        coded = json.dumps({"command": coded})
        masked = redact(coded)
        assert not is_told(secret, masked), coded
        assert (masked[:2], masked[-1]) == ('{"', "}")


@each(("secret", "text"), EXAMPLES)
def test_a_secret_is_masked_in_json_wherever_that_is_cut(secret: str, text: str) -> None:
    values, coded = frozenset(known_values()), f"Look: {text}\nand so on"
    for _ in range(2):
        coded = json.dumps({"command": coded})
        for at in range(1, len(coded)):
            if coded[at - 1] == "\\" or examples(0, 1):
                assert not is_told(secret, in_two(coded, at, values)), (coded[:at], coded[at:])


@each("form", [
    '{{"env": {{"GH_TOKEN": "{}"}}}}', 'curl -d "{{\\"password\\":\\"{}\\"}}" host', '<add key="ApiKey" value="{}"/>',
    'curl -u "me:{}" host', 'curl -b "sid={}" host', 'mysql -p"{}" shop', "a: 1\nrequirepass {}\nb: 2\n",
    '{{ apiKey: "{}" }}', 'python -c "x={{\\"client_secret\\":\\"{}\\"}}"', "machine a\n  password {}\n",
    "rootpw {}\n", "password {}\n", 'psk="{}"', "requirepass {}\nport 1",
])  # fmt: skip
def test_what_is_masked_in_arguments_is_masked_in_their_stream(form: str) -> None:
    command = form.format(RANDOM)
    assert not is_told(RANDOM, redact(command))
    coded = json.dumps({"command": command})
    assert not is_told(RANDOM, redact(coded))
    for at in range(1, len(coded)):
        assert not is_told(RANDOM, in_two(coded, at, frozenset())), (coded[:at], coded[at:])


@settings(max_examples=examples(20, 500))
@given(st.text(), st.integers(1, 3))
def test_what_json_has_escaped_is_read_as_it_was_and_found_where_it_stands(text: str, levels: int) -> None:
    for _ in range(levels):
        coded = json.dumps(text)[1:-1]
        readings = [*unescaped(coded)]
        assert "".join(reading.text for reading in readings) in (text, "")
        assert bool(readings) is ("\\" in coded)
        for reading in readings:
            for start, end in pairwise(range(len(reading.text) + 1)):
                first, last = reading.span(start, end)
                assert json.loads(f'"{coded[first:last]}"') == reading.text[start:end]
        text = coded


@pytest.mark.parametrize("levels", [*range(MOST_LEVELS + 3)])
def test_a_secret_is_masked_however_often_a_sign_of_it_is_escaped(levels: int) -> None:
    hidden = f"{RANDOM[:3]}\\{'u005c' * levels}u00{ord(RANDOM[3]):x}{RANDOM[4:]}"
    for cut in (None, *range(1, len(hidden), 4)):
        text = f"first\nAPI_TOKEN={hidden}\nlast"
        masked = redact(text) if cut is None else in_two(text, text.index(hidden) + cut, frozenset())
        assert RANDOM[4:] not in masked
        assert masked.startswith("first\n")
        assert masked.endswith("\nlast")


PIECES = st.sampled_from((
    *sorted(BEGINNINGS), "\\", '"', "u005c", "\\u00", "\\ud83d", "\\ude00", "\ud800", "\u0660" * 4, "\u017f", "\x1b]",
    "\\n", "\n", " ", "=", ": ", "'", "{", "[", "}", "]", ")", ".", "@", "://", ",", "-", "- ", "0", "aB1cD2eF3",
))  # fmt: skip
TEXTS = st.lists(st.builds(str.__mul__, PIECES, st.sampled_from((1, 1, 8, 100))), max_size=12).map("".join)


@settings(max_examples=examples(60, 5_000), deadline=None)
@given(TEXTS)
@example("\\" + "u005c" * 2_000)
@example("\\u" + "\u0660" * 4)
@example("PASSWORD=........")
@example('"PASSWORD=........"')
def test_no_text_is_too_strange_to_be_masked(text: str) -> None:
    assert isinstance(redact(text), str)
    assert 0 <= held_from(text) <= len(text)
    redact_data({text: [text, {"name": text, "value": text}]})
    half = len(text) // 2
    mask = PiecewiseMask(lambda: (), is_json=True)
    mask.add([(0, text[:half]), (1, text[half:])])
    mask.end()


def test_lines_without_escapes_are_not_read_again() -> None:
    text = "one\n" * 300 + 'it\\"s\n' + "two\n" * 300 + "x\\ny\\"
    assert [(reading.text, reading.end) for reading in unescaped(text)] == [('it"s', 1_205), ("x\ny", len(text))]

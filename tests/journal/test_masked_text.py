"""Text that comes in pieces is masked as if it came at once, and what is no secret comes through to the letter."""

from __future__ import annotations

import base64
import random
from collections.abc import Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.journal import masked_text
from maverick_tui.journal.masked_text import PiecewiseMask
from maverick_tui.masking.private_keys import Span
from maverick_tui.masking.redact import MASK, conceal, known_values, secret_spans
from tests.masking.examples import CONCEALED, EXAMPLES, RANDOM, VARIABLE
from tests.support.cases import each
from tests.support.sampling import examples

PROSE = (
    "The token is checked before the password dialog; see https://example.org/a/b?c=d for the key.\n"
    "A secret: none. `self.token = token` and ABCDEF 12 add 7f.\n"
)


LONG = (
    "eyJhbGciOi{}.eyJzdWIi{}.{}", "ya29.{}", "sk-proj-{}", "pypi-AgEI{}", "Bearer {}", "api_key={}", "db://me:{}@host",
)  # fmt: skip


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE_PASSWORD", VARIABLE)
    conceal([CONCEALED])


def written(pieces: list[str], size: int, told: list[str] | None = None) -> list[str]:
    """The pieces as they stand in the end, given in batches of this size; `told` is all that was ever let go."""
    mask, texts, whole = PiecewiseMask(known_values), [""] * len(pieces), [False] * len(pieces)
    told = told if told is not None else []
    for first in range(0, len(pieces), size):
        batch = [*enumerate(pieces)][first : first + size]
        known = mask.add(batch)
        for number, text in known.late:
            texts[number], whole[number] = text, True
        told += ["".join(known.now), "".join(text for _, text in known.late)]
        for at, ((number, _), text) in enumerate(zip(batch, known.now, strict=True)):
            texts[number], whole[number] = text, at < known.whole
    for number, text in mask.end():
        texts[number], whole[number] = text, True
    assert all(whole)
    return texts


def cut(text: str, seed: int) -> list[str]:
    chance = random.Random(seed)
    places = sorted(chance.sample(range(len(text)), min(len(text) // 4, 12)))
    return [text[start:end] for start, end in zip((0, *places), (*places, len(text)), strict=True)]


FAR = f"jdbc:sqlserver://database.shop.example:1433;databaseName=shop;encrypt=true;user=me;password={{a; {RANDOM}}};"


@each(("secret", "text"), [*EXAMPLES, (RANDOM, FAR)])
def test_a_secret_in_pieces_is_never_written(secret: str, text: str) -> None:
    for seed in range(examples(1, 4)):
        for pieces in (cut(f"Look: {text}\nDone.", seed), [*text]):
            told: list[str] = []
            kept = "".join(written(pieces, 1 + seed, told))
            assert MASK in kept
            for said in (kept, *told):
                assert not any(secret[at : at + 8] in said for at in range(7, len(secret) - 7)), said


def _random(length: int, chance: random.Random) -> str:
    return base64.urlsafe_b64encode(chance.randbytes(length)).decode().rstrip("=")


@settings(max_examples=examples(4, 100))
@given(st.integers(), st.sampled_from(LONG), st.integers(1, 20))
def test_a_long_token_in_pieces_is_never_written(seed: int, shape: str, size: int) -> None:
    chance = random.Random(seed)
    secret = shape.format(*(_random(150, chance) for _ in range(shape.count("{}"))))
    text = f"Here is the token: {secret} and more."
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    told: list[str] = []
    kept = "".join(written(pieces, 1, told))
    assert kept.endswith(" and more.") or "@host" in secret
    for said in (kept, *told):
        assert not any(secret[at : at + 12] in said for at in range(12, len(secret) - 12)), said


@given(st.integers(), st.integers(1, 5))
def test_what_is_no_secret_comes_through_to_the_letter(seed: int, size: int) -> None:
    pieces = cut(PROSE * 2, seed)
    assert written(pieces, size) == pieces


def test_what_stands_before_a_possible_secret_is_known_at_once() -> None:
    mask = PiecewiseMask(known_values)
    known = mask.add([(7, "Call it with "), (8, "the key sk-ant-api03-abc"), (9, "def")])
    assert known.late == []
    assert known.now[0] == "Call it with "
    assert known.now[1] in ("the ", "the key ")
    assert known.now[2] == ""
    assert known.whole == 1
    later = mask.add([(10, "ghijklmnop and go.")])
    assert later.late == [(8, f"the key {MASK}"), (9, "")]
    assert later.now == [" and go."]


@pytest.mark.explore
def test_an_endless_key_takes_no_endless_room() -> None:
    mask = PiecewiseMask(known_values)
    mask.add([(0, "-----BEGIN RSA PRIVATE KEY-----\n")])
    kept = ""
    for number in range(1, 400):
        known = mask.add([(number, "QUJDRA+/" * 50 + "\n")])
        kept += "".join(text for _, text in known.late) + "".join(known.now[: known.whole])
    assert "QUJDRA" not in kept
    assert sum(len(text) for _, text in mask._held) < 40_000


@pytest.mark.explore
@pytest.mark.parametrize(
    ("head", "line"), [("token=", "a1b2c3d4"), ("-----BEGIN RSA PRIVATE KEY-----\n", "aLine12=\n")]
)
def test_what_is_held_is_not_read_again_with_each_piece(head: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()

    def spans(text: str, values: Collection[str]) -> list[Span]:
        read.append(len(text))
        return secret_spans(text, values)

    monkeypatch.setattr(masked_text, "secret_spans", spans)
    kept = "".join(written([head, *[line] * 500, "\n"], 1))
    assert (MASK in kept, line in kept) == (True, False)
    assert sum(read) < 50 * 500 * len(line)

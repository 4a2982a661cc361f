"""The masker: texts and data without what is known to be a secret."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from random import Random
from textwrap import wrap
from urllib.parse import quote

import pytest

from maverick_tui.inert import inert
from maverick_tui.masking import redact as redacting
from maverick_tui.masking.private_keys import Span
from maverick_tui.masking.redact import beginning, conceal, redact, redact_data
from maverick_tui.shown import shown
from tests.masking.examples import FIELDS, RANDOM
from tests.masking.examples import VARIABLE as OTHER
from tests.support.cases import each

KEY = "sk-ant-api03-abcdefghijklmnop"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE_PASSWORD", OTHER)


@pytest.mark.parametrize("text", [f"key {KEY} here", f"Authorization: Bearer {KEY}", f"password={OTHER}"])
def test_what_looks_like_a_key_and_what_a_variable_holds_is_masked(text: str) -> None:
    assert KEY not in redact(text)
    assert OTHER not in redact(text)
    assert "[secret]" in redact(text)


@each(
    "form",
    [b64encode(f"{'x' * before}{OTHER}é{'y' * after}".encode()).decode() for before in range(4) for after in range(3)]
    + [urlsafe_b64encode(b"??>" + OTHER.encode()).decode(), quote(f"{OTHER}é"), quote(f"{OTHER}é").lower()],
)
def test_what_a_variable_holds_is_masked_as_it_is_coded_elsewhere(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE_PASSWORD", f"{OTHER}é")
    monkeypatch.setenv("SHOP_OTHER_PASSWORD", OTHER)
    masked = redact(f"it is {form} so")
    assert "[secret]" in masked
    assert len(masked.replace("[secret]", "")) <= len("it is  so") + 12, "what stands around it stays, and no more"


def test_a_value_that_is_no_text_can_be_concealed() -> None:
    conceal(["\ud800-half-a-pair", "\udcff-not-utf-8"])
    assert redact("\ud800-half-a-pair \udcff-not-utf-8") == "[secret] [secret]"


CUTS = [
    "\x1b[m\x1b[K",
    "\x1b[01;31m",
    "\u200b",
    "\u2060",
    "\xad",
    "\x1b(B",
    "\x00",
    "\x1b]0;\\x1b\x07",
    "\\u001b]0;x\\u0007",
]


@each("cut", CUTS)
@pytest.mark.parametrize("secret", [KEY, OTHER, f"password={RANDOM}"])
@pytest.mark.parametrize("at", [3, 7, 10, 12])
def test_a_secret_that_is_cut_by_what_is_not_seen_is_masked(secret: str, at: int, cut: str) -> None:
    text = f"a {cut}{secret[:at]}{cut}{secret[at:]}{cut} z"
    for shown_as in (text, inert(text)):
        masked = redact(shown_as)
        assert secret[at:] not in masked
        assert masked.count("[secret]") == 1
        assert (masked[:2], masked[-2:]) == ("a ", " z")


def test_a_name_tells_of_its_value_only_if_it_is_a_whole_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONKEY", "banana-banana")
    monkeypatch.setenv("GITLAB_TOKEN", "opaque-word-77")
    assert redact("banana-banana opaque-word-77") == "banana-banana [secret]"


def test_what_was_concealed_is_masked_line_by_line_and_in_json() -> None:
    conceal(['first-line\nsecond"line', "short"])
    assert redact('second"line first-line short') == "[secret] [secret] short"
    assert redact(r'"first-line\nsecond\"line"') == '"[secret]"'


def test_a_text_is_masked_before_it_is_cut() -> None:
    conceal(["0123456789" * 10])
    assert "0123456789" not in shown(f"{'x' * 40}{'0123456789' * 10}")


MOST = 200
CODED = b64encode(Random(1).randbytes(4_800)).decode()
LARGE_KEY = "\n".join(["-----BEGIN PRIVATE KEY-----", *wrap(CODED, 64), "-----END PRIVATE KEY-----"])
PROSE = "and so it goes on, for ever.\n" * 2_000


@pytest.mark.explore
@each("secret", [KEY, LARGE_KEY, "of no known shape, " * 900])
def test_of_a_long_text_a_secret_on_the_cut_is_masked_as_a_whole(secret: str) -> None:
    conceal([secret] if secret.startswith("of no") else [])
    for at in (0, 1, 150, 180, 192, 195, 199, 200, 201):
        text = f"{PROSE[:at]} {secret} {PROSE}"
        assert beginning(text, MOST) == redact(text)[:MOST], at
        many = f"{secret}\n\n" * 4 + text  # of which little is left
        assert f"{redact(many)} ".startswith(begun := beginning(many, MOST)), at
        assert begun.startswith("[secret]")


def test_no_more_of_a_long_text_is_looked_at_than_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    look = redacting.secret_spans

    def noted(text: str, values: Iterable[str] = ()) -> list[Span]:
        looked_at.append(len(text))
        return look(text, values)

    monkeypatch.setattr(redacting, "secret_spans", noted)
    monkeypatch.setattr(redacting, "known_values", set)
    assert beginning(PROSE * 20, MOST) == PROSE[:MOST]
    assert max(looked_at) < 20_000


@pytest.mark.parametrize(("secret", "data"), FIELDS)
def test_all_that_stands_under_the_name_of_a_secret_is_masked_in_data(secret: str, data: object) -> None:
    masked = str(redact_data(data))
    assert secret not in masked
    assert "[secret]" in masked


def test_what_follows_an_option_that_tells_of_a_secret_is_masked_in_a_list() -> None:
    assert redact_data(["run", "--password", "hunter2", "--token", "hunter2", "x"]) == [
        *("run", "--password", "[secret]", "--token", "[secret]", "x")
    ]


def test_other_data_comes_back_equal() -> None:
    arguments = ["--key", "name", "--token-file", "a.txt", "--max-tokens", "5", "token", "x", "--password"]
    assert redact_data(arguments) == arguments
    data = {"max_tokens": 5, "is_secret": True, "pairs": (1, [None, 0.5]), 7: "seven", "token": ""}
    assert redact_data(data) == data
    form = [{"name": "Password reset mail", "value": "weekly"}, {"name": "primary_key", "value": "id"}]
    assert redact_data(form) == form

"""Lexing ends, whatever the code: hostile code is plain, and nobody waits for it twice."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from time import thread_time

import pytest
from pygments.lexer import RegexLexer  # type: ignore[import-untyped]
from pygments.token import Keyword  # type: ignore[import-untyped]

from maverick_tui.markup import code, lexing
from maverick_tui.markup.lexing import lexed, lexed_at
from tests.support.cases import each
from tests.support.sampling import examples

FOR_EVER = ['x = "' + "\\" * 61]
"""Chapel: each further sign doubles the time."""


@pytest.fixture(autouse=True)
def _nothing_was_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexing, "_too_much", {})


def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What lexers are asked from now on."""
    texts: list[str] = []
    of_language = code.lexer_of

    class Counting:
        def __init__(self, language: str) -> None:
            self._lexer = of_language(language)
            assert self._lexer is not None
            self.name = self._lexer.name

        def get_tokens_unprocessed(self, text: str) -> object:
            texts.append(text)
            return self._lexer.get_tokens_unprocessed(text)  # type: ignore[union-attr]

    monkeypatch.setattr(code, "lexer_of", Counting)
    return texts


@each(
    ("language", "lines"),
    [
        ("chapel", FOR_EVER),
        ("bash", ["$'" + r"\\" * 40]),
        ("cddl", ['"' + r"\\" * 60]),
        ("c", [*[""] * 50_000, "x"]),
        ("python", [" "] * 49_000 + ["x"]),
        ("css", ["/*"] * 33_000),
        ("go", ["/*"] * 33_000),
    ],
)
def test_lexing_ends(language: str, lines: list[str]) -> None:
    begun = thread_time()
    assert len(list(lexed(lines, language))) < len(lines)
    assert thread_time() - begun < 10, "of the processor; without an end it is minutes, or for ever"


def test_what_was_too_much_is_tried_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = asked(monkeypatch)
    for _ in range(5):
        assert list(lexed(FOR_EVER, "chapel")) == []
    assert len(texts) == 1
    assert list(lexed(["var x = 1;"], "chapel")), "other code still has its colours"
    growing = [[f"{FOR_EVER[0]}{'a' * more}"] for more in range(10)]  # as a block does while it is told
    for lines in growing:
        assert list(lexed(lines, "chapel")) == []
    assert len(texts) == 3, "a lexer that fails again and again is asked no more"
    assert list(lexed(["x = 1"], "python")), "another one is"


@pytest.mark.explore
def test_hostile_code_in_many_languages_takes_less_time_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(RegexLexer):  # type: ignore[misc]
        tokens = {"root": [(r"(a|a)*b", Keyword)]}

    def one_of_many(language: str) -> object:
        lexer = Endless()
        lexer.name = language
        return lexer

    monkeypatch.setattr(code, "lexer_of", one_of_many)
    begun = thread_time()
    for number in range(60):
        assert list(lexed(["a" * 60], f"language-{number}")) == []
    assert thread_time() - begun < 60 * lexing._PATIENCE / 2


def test_what_a_lexer_has_reached_has_its_colours() -> None:
    lines = list(lexed(["var x = 1;"] * 300 + FOR_EVER, "chapel"))
    assert 100 < len(lines) <= 300
    assert {tuple(kind for _, kind in line) for line in lines} == {tuple(kind for _, kind in lines[0])}


@each("threads", [0, 2])
def test_real_code_is_lexed_to_its_end_also_on_a_busy_machine(threads: int) -> None:
    shipped = Path(code.__file__).parent.parent
    lines = [line for file in sorted(shipped.glob("runs/*.py")) for line in file.read_text().split("\n")][
        : examples(700, 2_000)
    ]
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            sum(range(1_000))

    busy = [threading.Thread(target=work) for _ in range(threads)]
    for thread in busy:
        thread.start()
    try:
        found = list(lexed(lines, path="runs.py"))
    finally:
        done.set()
        for thread in busy:
            thread.join()
    assert ["".join(part for part, _ in line) for line in found] == lines


def test_a_lexer_that_catches_all_failures_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Catching:
        name = "catching"

        def get_tokens_unprocessed(self, text: str) -> Iterator[object]:
            while True:
                try:
                    yield from code.lexer_of_file("a.chpl").get_tokens_unprocessed(text)  # type: ignore[union-attr]
                except Exception:
                    continue

    monkeypatch.setattr(code, "lexer_of", lambda language: Catching())
    assert list(lexed(FOR_EVER, "python")) == []


def test_the_timer_is_off_afterwards_and_its_signal_ends_nothing() -> None:
    list(lexed(FOR_EVER, "chapel"))
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    signal.raise_signal(signal.SIGVTALRM)


def test_whoever_else_uses_the_signal_keeps_it() -> None:
    before = signal.signal(signal.SIGVTALRM, lambda *_: None)
    theirs = signal.getsignal(signal.SIGVTALRM)
    try:
        assert list(lexed(["x = 1"], "python")) == [], "nothing could stop the lexer"
        assert signal.getsignal(signal.SIGVTALRM) is theirs
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert list(lexed(["x = 1"], "python"))


def test_where_there_is_no_timer_code_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    assert list(lexed(["x = 1"], "python")) == []


async def test_threads_have_it_done_in_the_main_thread() -> None:
    assert await asyncio.to_thread(list, lexed(["x = 1"], "python")) == [], "nothing could stop the lexer"
    with lexed_at(asyncio.get_running_loop()):
        made = await asyncio.to_thread(lambda: list(lexed(["x = 1"] * 500, "python")))
        assert await asyncio.to_thread(lambda: list(lexed(FOR_EVER, "chapel"))) == []
    assert ["".join(part for part, _ in line) for line in made] == ["x = 1"] * 500


async def test_a_thread_that_is_left_behind_ends() -> None:
    ended = asyncio.new_event_loop()
    ended.close()
    with lexed_at(ended):
        assert await asyncio.to_thread(lambda: list(lexed(["x = 1"], "python"))) == []

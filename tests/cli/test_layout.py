"""Text is cut and wrapped by the columns that it takes."""

from __future__ import annotations

import pytest

from maverick_tui.cli.layout import cut, wrap


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("評価する", 8, "評価する"),
        ("評価する", 7, "評価す…"),
        ("評価する", 6, "評価…"),
    ],
)
def test_text_is_cut_by_the_columns_it_takes(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["-"]),
        ("one two", ["-one two"]),
        ("word " * 12, ["-" + " ".join(["word"] * 8), "  " + " ".join(["word"] * 4)]),
        ("x" * 50, ["-" + "x" * 39, "  " + "x" * 11]),
        ("a " + "評" * 25, ["-a", "  " + "評" * 19, "  " + "評" * 6]),
    ],
    ids=lambda value: str(value)[:10],
)
def test_text_is_wrapped_by_the_columns_it_takes(monkeypatch: pytest.MonkeyPatch, text: str, lines: list[str]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert wrap(text, "-", "  ") == lines

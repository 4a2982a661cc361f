"""TOML of files that may be anybody's."""

from __future__ import annotations

import pytest

from maverick_tui.toml_text import read_toml
from tests.support.effort import effort


def test_it_is_read_as_it_stands() -> None:
    assert read_toml("a.b = 'c.d'\n[e]\nf = 1") == {"a": {"b": "c.d"}, "e": {"f": 1}}


@pytest.mark.parametrize(
    "line", ["a" + ".a" * 20_000 + " = 1", "[a" + ".a" * 20_000 + "]", "a" + '."\u2028"' * 20_000 + " = 1"]
)
def test_a_name_of_thousands_of_parts_is_refused_before_it_takes_all_memory(line: str) -> None:
    def read() -> None:
        with pytest.raises(ValueError, match="line 2 has more than 500 points"):
            read_toml(f"b = 1\n{line}\n")

    assert effort(read) < 5

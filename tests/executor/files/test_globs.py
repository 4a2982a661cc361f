"""Patterns for file names."""

from __future__ import annotations

import time

import pytest

from maverick_tui.executor.files.globs import BadPatternError, matcher
from tests.support.cases import each


@each(
    ("pattern", "matching", "other"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "a.py/b"]),
        ("./*.py", ["a.py", "x/a.py"], ["a.md"]),
        ("src/*.py", ["src/a.py"], ["a.py", "src/x/a.py", "x/src/a.py"]),
        ("src/**", ["src/a", "src/x/y"], ["src", "a"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("**/test_?.py", ["test_1.py", "x/test_2.py"], ["test_12.py"]),
        ("**/**/a", ["a", "x/a", "x/y/a"], ["b"]),
        ("*.{ts,tsx}", ["a.ts", "x/a.tsx"], ["a.t"]),
        ("{src,lib}/{a,{b,c}}.py", ["src/a.py", "lib/c.py"], ["lib/d.py"]),
        ("[ab].py", ["a.py", "x/b.py"], ["c.py"]),
        ("a{b", ["a{b"], ["ab"]),
        ("a}b", ["a}b"], ["ab"]),
        (".*", [".env", "x/.env"], ["env"]),
        ("a**b", ["aXb", "ab"], ["a/b"]),
        (r"\[a\]", ["[a]"], ["a", r"\a"]),
        (r"\*.{a,\,}", ["*.a", "*.,"], ["x.a"]),
        (r"\{a,b\}", ["{a,b}"], ["a"]),
        (r"a\b", [r"a\b"], ["ab"]),
    ],
)
def test_patterns(pattern: str, matching: list[str], other: list[str]) -> None:
    matches = matcher(pattern)
    assert [path for path in [*matching, *other] if matches(path)] == matching


def test_no_pattern_takes_long() -> None:
    began = time.monotonic()
    assert not matcher("*a" * 200 + "b")("a" * 250)
    assert not matcher("**/a/" * 200 + "b")("/".join("a" * 1000))
    for braces in ("{a,b}" * 1000, "{a}" * 40_000):
        with pytest.raises(BadPatternError):
            matcher(braces)
    assert time.monotonic() - began < 5

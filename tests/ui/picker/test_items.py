"""The rows: what each of them says, and in which order they come."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.ui.picker.items import Group, Item, rows_of, run_item

GROUP, OTHER = Group("PROJECT", ".claude/agents"), Group("SHIPPED")


def item(name: str, group: Group = GROUP, description: str = "") -> Item:
    return Item(key=f"agent:{name}", group=group, name=name, description=description)


def test_every_group_has_its_heading_once() -> None:
    rows, best = rows_of([item("b"), item("a", OTHER), item("c")], "")
    assert [row.item.name if row.item else row.group.title for row in rows] == ["PROJECT", "b", "c", "SHIPPED", "a"]
    assert best == 1


def test_groups_without_a_match_are_left_out_and_the_best_match_is_told() -> None:
    items = [item("xray-tester"), item("other"), item("tester", OTHER)]
    rows, best = rows_of(items, "tester")
    assert [row.item.name if row.item else row.group.title for row in rows] == [
        "PROJECT",
        "xray-tester",
        "SHIPPED",
        "tester",
    ]
    assert best == 3


def test_nothing_is_nothing() -> None:
    assert rows_of([], "") == ([], None)
    assert rows_of([item("a")], "zzz") == ([], None)


def test_a_run_is_told_in_its_own_words_made_inert() -> None:
    row = run_item("7", "reviewer\x1b[2J", "needs\nyou", "⚑", "Edit \x9b2J")
    assert (row.key, row.run_id, row.name) == ("run:7", "7", "reviewer␛[2J")
    assert row.marks == (("⚑ needs you", "accent"),)
    assert row.description == "Edit �2J"
    assert row.path is None or isinstance(row.path, Path)

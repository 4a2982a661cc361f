"""Which requirements have a test: `make requirements`, or `python tests/requirements.py --help`."""

from __future__ import annotations

import argparse
import ast
import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_suffix(".tsv")


class Row(NamedTuple):
    """One requirement. Its document's number is how `document` begins."""

    id: str
    aliases: tuple[str, ...]
    document: str
    meaning: str


def read_table() -> list[Row]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        rows = [
            Row(line["id"], tuple(filter(None, line["aliases"].split(","))), line["document"], line["meaning"])
            for line in lines
        ]
    names = Counter(name for row in rows for name in (row.id, *row.aliases))
    if twice := [name for name, count in names.items() if count > 1]:
        raise SystemExit(f"{TABLE.name} has these names more than once: {', '.join(twice)}")
    return rows


def collect() -> dict[str, list[str]]:
    """The tests of every name that a test uses, be it in the table or not.

    Read from the sources: to let pytest collect all tests would take a minute. What is skipped always, or expected to
    fail, proves nothing, but an unknown id in it is still a mistake.
    """
    tests: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        where, source = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        for node in ast.parse(source).body if "mark.req" in source else ():
            marks = [part for part in ast.walk(node) if _is_mark(part, "req")]
            proves = not any(_is_mark(part, name) for part in ast.walk(node) for name in ("skip", "xfail"))
            for name in (argument for mark in marks for argument in _names(mark)):
                tests[name] += [f"{where}::{getattr(node, 'name', '')}"] if proves else []
    return dict(tests)


def _is_mark(node: ast.AST, name: str) -> bool:
    """Whether it is `pytest.mark.name`, called or not."""
    called = node.func if isinstance(node, ast.Call) else node
    if name == "req" and not isinstance(node, ast.Call):
        return False
    is_of_mark = isinstance(called, ast.Attribute) and getattr(called.value, "attr", "") == "mark"
    return is_of_mark and getattr(called, "attr", "") == name


def _names(mark: ast.AST) -> list[str]:
    assert isinstance(mark, ast.Call)
    return [ast.literal_eval(argument) for argument in mark.args]


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Show which requirements have a test.")
    parser.add_argument(
        "--require", nargs="+", default=[], metavar="000", help="documents of which no row may lack a test"
    )
    parser.add_argument("--tests", action="store_true", help="show the tests of every requirement, too")
    options = parser.parse_args(None if arguments is None else list(arguments))

    rows = read_table()
    documents = list(dict.fromkeys(row.document for row in rows))
    if unknown := set(options.require) - {document.split()[0] for document in documents}:
        parser.error(f"no such document: {', '.join(sorted(unknown))}")

    used = collect()
    tests = {row: [test for name in (row.id, *row.aliases) for test in used.get(name, [])] for row in rows}
    width = max(len(row.id) for row in rows)
    failed = False

    for document in documents:
        here = [row for row in rows if row.document == document]
        missing = [row for row in here if not tests[row]]
        required = document.split()[0] in options.require
        failed |= required and bool(missing)
        print(f"{document}: {len(here) - len(missing)} of {len(here)}{' (all are required)' if required else ''}")
        for row in here if options.tests else missing if required or not options.require else []:
            print(f"  {'missing' if row in missing else '       '}  {row.id:{width}}  {row.meaning}")
            if options.tests:
                print("".join(f"  {'':7}  {'':{width}}    {test}\n" for test in dict.fromkeys(tests[row])), end="")
        print()

    print(f"Total: {sum(map(bool, tests.values()))} of {len(rows)}")

    known = {name for row in rows for name in (row.id, *row.aliases)}
    for name in sorted(set(used) - known):
        failed = True
        print(f"Unknown requirement {name}, named by a test; the table is {TABLE.relative_to(ROOT)}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

"""The rows of the X-ray, which command line and picker only lay out."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.catalog.discovery import lint
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.agent.fields import FIELDS
from maverick_tui.agent.xray import xray
from maverick_tui.agent.xray_rows import RowPart, XRayRow, rows


def rows_of(tmp_path: Path, fields: str) -> list[XRayRow]:
    path = tmp_path / "worker.md"
    path.write_text(f"---\nname: worker\ndescription: Works.\n{fields}---\n\nYou work.\n")
    (listing,) = lint(path).agents
    return list(rows(xray(listing, TrustStore()), untrusted="read it"))


def test_a_file_that_denies_all_tools_is_not_said_to_have_all_of_them(tmp_path: Path) -> None:
    (may,) = [row for row in rows_of(tmp_path, 'disallowedTools: "*"\n') if row.label == "may"]
    assert may.parts == (RowPart("nothing: no tools are named", "muted"),)


def test_who_says_so_is_a_note_and_nothing_if_the_agent_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_MAX_TURNS", "7")
    (limits,) = [row for row in rows_of(tmp_path, "timeout: 60\n") if row.label == "limits"]
    assert limits.parts == (
        RowPart("60 s without a sign of life"),
        RowPart("7 turns", "text", "your settings"),
        RowPart("32,000 tokens an answer", "text", "default"),
        RowPart("no budget"),
    )


def test_what_is_to_be_done_about_an_untrusted_file_is_the_callers_to_say(tmp_path: Path) -> None:
    hooks = "hooks: {Stop: [{hooks: [{type: command, command: ./x.sh}]}]}\n"
    assert rows_of(tmp_path, hooks)[0] == XRayRow("trust", (RowPart("read it", "warning"),))


def test_no_line_of_what_would_run_is_hidden(tmp_path: Path) -> None:
    told = rows_of(
        tmp_path,
        'hooks: {Stop: [{hooks: [{type: command, command: "x # y\\nrm z"}]}]}\ntools: ["Bash(x # y\\nrm z)"]\n',
    )
    assert sum(part.text.endswith(("x # y␊rm z", "x # y␊rm z)")) for row in told for part in row.parts) >= 2


def test_every_field_that_has_a_label_is_shown(tmp_path: Path) -> None:
    given = {
        "effort": "high",
        "isolation": "worktree",
        "fuse": "{usd: 2}",
        "skills": "[style]",
        "temperature": "0",
        "thinking": "2048",
        "toolLimits": "{timeout_ms: 60000}",
        "retries": "0",
        "repairs": "2",
        "agents": "[helper]",
        "output": "{type: object}",
    }
    assert {field.markdown for field in FIELDS if field.label} == given.keys()
    for engine in ("claude-code", "api"):
        fields = [field for field in FIELDS if field.label and field.engine == engine]
        said = "".join(f"{field.markdown}: {given[field.markdown]}\n" for field in fields)
        shown = {row.label or row.name for row in rows_of(tmp_path, f"engine: {engine}\n{said}")}
        assert {field.label for field in fields} <= shown

"""A run in which model, tool and error all speak secrets leaves none of them in anything of ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.history.database import index_file
from maverick_tui.journal.folders import kept_runs
from maverick_tui.masking import redact
from maverick_tui.masking.redact import MASK
from maverick_tui.offline.processes import offline_environment
from tests.masking.examples import CONCEALED, EXAMPLES, VARIABLE
from tests.support.command_line import Run
from tests.support.sampling import sampled
from tests.support.served import served

TABLE = [(secret, text) for secret, text in EXAMPLES if secret != CONCEALED]
"""All but what only a process that has it knows."""
WORDS = "\n\n".join(text for _, text in TABLE)
FORMS = ("md", "html", "jsonl", "cast")


@pytest.mark.parametrize("engine", sampled(["api", "claude-code"], 2))
def test_no_secret_is_in_any_file_after_a_run_that_was_full_of_them(
    engine: str, home: Path, tmp_path: Path, maverick: Run, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, exports = Path("notes.txt").absolute(), tmp_path / "exports"
    notes.write_text(WORDS)
    exports.mkdir()
    Path(".maverick/agents").mkdir(parents=True)
    fields = f"name: teller\ndescription: Tells.\nengine: {engine}\ntools: Read\n"
    Path(".maverick/agents/teller.md").write_text(f"---\n{fields}---\nTell.\n")
    answers = [
        {"steps": [{"thinking": WORDS}, {"text": WORDS}, {"tool": "Read", "input": {"file_path": str(notes)}}]},
        {"steps": [], "fault": {"kind": "http", "status": 400, "message": WORDS[:8_000]}},
    ]

    with (
        served([{"answers": answers}]) as url,
        pytest.MonkeyPatch.context() as patch,
        Path(os.devnull).open() as nothing,
    ):
        for name, value in {**offline_environment(url, home), "SHOP_DATABASE_PASSWORD": VARIABLE}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdin", nothing)
        ran = maverick("run", "teller", WORDS, "--output", "stream-json")
    assert ran.code == 1, ran.err
    monkeypatch.setattr(redact, "_concealed", {})
    (run_id,) = kept_runs()
    # From here on nobody knows the variable: what is derived from the journal has to do with what that masks.
    looks = [("show", run_id), *(("search", word, "--json") for word in ("password", "refused", "login"))]
    said = [ran.out, ran.err, *(maverick("runs", *look).out for look in looks)]
    for form in FORMS:
        assert maverick("runs", "export", run_id, "-o", str(exports / f"run.{form}")).code == 0
    files = [file for folder in (paths.user_state(), exports) for file in folder.rglob("*") if file.is_file()]
    assert {file.suffix for file in files} >= {".jsonl", ".db", *(f".{form}" for form in FORMS)}
    written = {file.name: file.read_text("utf-8", "replace") for file in files}
    assert all(MASK in text for name, text in written.items() if name.startswith(("run.", "events")))
    assert index_file().name in written
    kept = "\n".join((*said, *written.values()))
    assert [secret for secret, _ in TABLE if secret in kept] == []

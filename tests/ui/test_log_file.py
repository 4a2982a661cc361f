"""The log: written when something goes wrong and not before, for its owner alone, without secrets, and never large."""

from __future__ import annotations

import logging
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.masking.redact import conceal
from maverick_tui.ui import app as application
from maverick_tui.ui import log_file
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.log_file import kept_log, log_path

TOKEN = "ghp_" + "0a1B2c" * 6

log = logging.getLogger("maverick_tui.ui.anything")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_without_trouble_there_is_no_file_and_nothing_is_imported() -> None:
    program = (
        "import logging, sys\n"
        "from maverick_tui.ui.log_file import kept_log\n"
        "with kept_log():\n"
        "    logging.getLogger('maverick_tui.x').info('all is well')\n"
        "assert 'logging.handlers' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])
    assert not paths.user_state().exists()


def test_what_goes_wrong_is_written_for_its_owner_alone_and_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hunter2-hunter2")
    with kept_log():
        log.info("not worth it")
        log.warning("The key %s does not fit\x1b[2J", "hunter2-hunter2")
        try:
            raise ValueError("Bearer abcdefgh123")
        except ValueError:
            log.exception("It broke")
    log.error("after the end")
    text = log_path().read_text()
    assert "WARNING maverick_tui.ui.anything: The key [secret] does not fit␛[2J\n" in text
    assert "ERROR maverick_tui.ui.anything: It broke\nTraceback (most recent call last):\n" in text
    assert "ValueError: Bearer [secret]\n" in text
    assert "hunter2" not in text
    assert "not worth it" not in text
    assert "after the end" not in text
    assert (mode(log_path()), mode(paths.user_state())) == (0o600, 0o700)


def test_neither_a_token_of_a_code_host_nor_what_was_concealed_is_written() -> None:
    conceal(["only-a-server-knows"])
    with kept_log():
        log.warning("git push https://x:%s@example.org failed, %s", TOKEN, "only-a-server-knows")
        log.warning("%s", TOKEN)
        try:
            raise RuntimeError(f"Authorization: Basic dXNlcjpwYXNz {TOKEN}")
        except RuntimeError:
            log.exception("It broke with only-a-server-knows")
    text = log_path().read_text()
    for secret in (TOKEN, "only-a-server-knows", "dXNlcjpwYXNz"):
        assert secret not in text
    assert "git push https://[secret]@example.org failed, [secret]" in text


def test_it_never_takes_more_than_two_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "LARGEST", 2_000)
    with kept_log():
        for number in range(100):
            log.warning("Trouble number %d, and a few words more about it", number)
    files = sorted(paths.user_state().iterdir())
    assert [path.name for path in files] == ["maverick.log", "maverick.log.1"]
    assert all(path.stat().st_size <= 2_000 and mode(path) == 0o600 for path in files)
    assert "number 99," in files[0].read_text()


def test_a_second_time_it_goes_on_where_it_was() -> None:
    for word in ("first", "second"):
        with kept_log():
            log.warning("The %s time", word)
    assert [line.rpartition(": ")[2] for line in log_path().read_text().splitlines()] == [
        "The first time",
        "The second time",
    ]


def test_a_log_that_cannot_be_written_harms_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    paths.user_state().parent.mkdir(parents=True)
    paths.user_state().write_text("a file where the folder should be")
    with kept_log():
        log.warning("Lost")
    assert capsys.readouterr().err == "", "Python's own handlers would print the record as it is"


def test_the_application_keeps_it_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application.MaverickApp, "run", lambda _self: log.error("A frame could not be drawn"))
    before = list(logging.getLogger().handlers)
    assert application.run_app(Launch(Path.cwd())) == 0
    assert log_path().read_text().endswith("ERROR maverick_tui.ui.anything: A frame could not be drawn\n")
    assert logging.getLogger().handlers == before

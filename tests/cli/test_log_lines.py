"""What is logged by a command: told in one line that steers nothing, and kept in the log."""

from __future__ import annotations

import logging
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from maverick_tui.ui.log_file import kept_log, log_path
from tests.cli.agent_files import environment

LOGS = """
import logging, sys, threading, warnings
sys.argv = ["maverick", "--version"]
from maverick_tui.cli import main
try:
    main()
except SystemExit:
    pass
log = logging.getLogger("maverick_tui.somewhere")
log.warning("The snapshots of %s cannot be removed", "/x/\\x1b]0;PWNED\\x07\\u202e/hunter2-hunter2")
try:
    raise OSError("\\x1b[31m")
except OSError:
    log.exception("It broke")
warnings.warn("\\x1b[32m")
log.warning("All\\nis \\u2028 well")
log.warning("%d of \\x1b", "x")

def fail():
    raise OSError("\\x1b[33m hunter2-hunter2")

thread = threading.Thread(target=fail, name="\\x1b[34m")
thread.start()
thread.join()

class Left:
    def __del__(self):
        fail()

Left()
"""


def logged(**changes: str) -> str:
    line = [sys.executable, "-P", "-c", LOGS]
    shop = environment(SHOP_TOKEN="hunter2-hunter2", **changes)
    return subprocess.run(line, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=shop, check=True).stderr.decode()


def test_it_is_told_in_one_line_each_and_kept_with_all_there_is() -> None:
    told = logged().splitlines()
    assert told[0] == "maverick: The snapshots of /x/␛]0;PWNED␇\ufffd/[secret] cannot be removed"
    assert told[1:3] == ["maverick: It broke", f"  The log has more: {str(log_path()).replace(str(Path.home()), '~')}"]
    assert told[3].endswith("UserWarning: ␛[32m")
    assert told[4:6] == ["maverick: All is well", "maverick: %d of ␛"]
    assert told[6] == "maverick: ␛[34m has failed"
    assert told[8].startswith("maverick: Something was raised in <function Left.__del__")
    assert len(told) == 10
    kept = log_path().read_text()
    assert kept.count("\n") == len(kept.splitlines()) >= 6
    for line in ("OSError: ␛[31m", "OSError: ␛[33m [secret]", "WARNING maverick_tui.somewhere: %d of ␛"):
        assert line in kept
    assert "hunter2" not in kept


def test_where_the_log_cannot_be_written_it_is_told_all_the_same_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = logged(MAVERICK_STATE_DIR=str(tmp_path / "file" / "below"))
    assert told.count("\n") == 7
    assert "Traceback" not in told
    assert "The log has more" not in told
    assert "\x1b" not in told


def test_a_log_on_a_full_disk_says_nothing(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(small_disk / "state"))
    log = logging.getLogger("maverick_tui.somewhere")
    with kept_log():
        log.error("first")
        with (small_disk / "fill").open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4_096)):
                pass
        for _ in range(3):
            log.error("\x1b[31m %s", "x" * 5_000)
    assert capfd.readouterr().err == ""

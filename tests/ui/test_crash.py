"""What is left on the terminal, and in the log, when the application itself fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.log_file import kept_log, log_path
from maverick_tui.ui.preferences import Preferences

HELD = "word-of-the-house"


class Failing(MaverickApp):
    """Fails while it holds a secret."""

    def on_mount(self) -> None:
        token = HELD
        raise ValueError(f"sk-ant-api03-{'a1' * 10} \x1b]0;x\x07 {len(token)}")


async def test_a_crash_tells_where_it_was_and_no_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    app = Failing(Launch(Path.cwd()), preferences=Preferences())
    with kept_log(), pytest.raises(ValueError, match="sk-ant"):
        async with app.run_test():
            pass
    app._print_error_renderables()
    shown, kept = capsys.readouterr().err, log_path().read_text()
    for text in (shown, kept):
        assert "in on_mount" in text
        assert "ValueError: [secret]" in text
        assert not [bad for bad in (HELD, "a1a1", "\x1b]0") if bad in text]
    assert str(log_path()) in shown.replace("\n", "")

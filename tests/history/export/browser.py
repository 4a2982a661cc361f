"""A real browser, spoken to over its own pipe: no driver, no port, and nothing of it is left behind."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_PATIENCE = 60
"""Seconds for one answer; the machine may be busy with other things."""
_OPTIONS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-extensions"
    " --disable-sync --disable-background-networking --disable-component-update --disable-default-apps"
    " --hide-scrollbars --remote-debugging-pipe"
).split()  # fmt: skip

_AS_IT_WANTS = """import fcntl, os, sys
told, answers = (fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3])
os.dup2(told, 3)
os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser takes what it is told from descriptor 3, and answers on 4."""

_MIDDLE = """(selector) => {
  const one = document.querySelector(selector);
  one.scrollIntoView({block: "center"});
  const box = one.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""


class Browser:
    """One browser with one page."""

    def __init__(self, folder: Path) -> None:
        assert PROGRAM is not None
        told, self._write = os.pipe()
        self._read, answers = os.pipe()
        command = [PROGRAM, *_OPTIONS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _AS_IT_WANTS, str(told), str(answers), *command],
            pass_fds=(told, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"HOME": str(folder), "PATH": os.environ["PATH"], "TMPDIR": str(folder)},
        )
        os.close(told)
        os.close(answers)
        self._bytes = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        """All that was told unasked since the last page was opened."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **values: Any) -> dict[str, Any]:
        """Have the browser do something; what it answers."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": values}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer["error"]
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._bytes:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "The browser does not answer."
            part = os.read(self._read, 1 << 20)
            assert part, "The browser has ended."
            self._bytes += part
        line, _, self._bytes = self._bytes.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def open(self, page: Path, *, width: int = 1000, height: int = 800, theme: str = "light") -> None:
        """Show a page, for a reader who prefers this theme."""
        self.events.clear()
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.ask("Page.navigate", url=page.as_uri())
        while not self.told("Page.loadEventFired"):
            self.events.append(self._next())

    def told(self, method: str) -> list[dict[str, Any]]:
        """What it has told of this kind."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def see(self, expression: str) -> Any:
        """The value of an expression in the page, waited for if it is to come."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Until this is so in the page."""
        deadline = time.monotonic() + _PATIENCE
        while not self.see(expression):
            assert time.monotonic() < deadline, f"This is never so: {expression}"
            time.sleep(0.02)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.ask("Input.insertText", text=text)

    def press(self, key: str, code: int, modifiers: int = 0) -> None:
        """Press a key."""
        more = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            values = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
            self.ask("Input.dispatchKeyEvent", type=kind, **values, **(more if kind == "keyDown" else {}))

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        box = self.see(f"({_MIDDLE})({json.dumps(selector)})")
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def picture(self) -> str:
        """What is seen now, as a PNG in base64."""
        data: str = self.ask("Page.captureScreenshot")["data"]
        return data

    def close(self) -> None:
        """End it, and wait for that."""
        self._session = None
        with suppress(AssertionError, OSError):
            self.ask("Browser.close")
        try:
            self._process.wait(_PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            for descriptor in (self._read, self._write):
                os.close(descriptor)

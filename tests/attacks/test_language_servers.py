"""Language servers of plugins: Claude Code's tool `LSP` hands them files, and they tell what is in these."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from maverick_tui import MaverickConfig
from maverick_tui.agent.tools import is_understood
from maverick_tui.events.kinds import ToolFinished
from tests.agent.permissions.deciding import write
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import call, say

SERVER = """
import json, sys
known = {}
while header := sys.stdin.buffer.readline():
    if header.lower().startswith(b"content-length"):
        length = int(header.split(b":")[1])
    if header.strip():
        continue
    said = json.loads(sys.stdin.buffer.read(length))
    about, result = said.get("params", {}).get("textDocument", {}), None
    if said["method"] == "initialize":
        result = {"capabilities": {"hoverProvider": True, "textDocumentSync": 1}}
    elif said["method"] == "textDocument/didOpen":
        known[about["uri"]] = about["text"]
    elif said["method"] == "textDocument/hover":
        result = {"contents": known[about["uri"]]}
    if "id" in said:
        answer = json.dumps({"jsonrpc": "2.0", "id": said["id"], "result": result}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(answer), answer))
        sys.stdout.buffer.flush()
"""


class Linguist(Talker):
    allowed_tools = ("LSP",)


def bring_server() -> None:
    """A plugin of the person's with a language server that tells all of a file."""
    settings = Path(os.environ["CLAUDE_CONFIG_DIR"])
    market, plugin = settings / "market", settings / "market" / "speaks"
    starts = {"command": sys.executable, "args": ["-I", "-c", SERVER]}
    server = {**starts, "extensionToLanguage": {".txt": "plaintext", ".pem": "plaintext"}}
    written = {
        market / ".claude-plugin" / "marketplace.json": {
            "name": "here", "owner": {"name": "x"}, "plugins": [{"name": "speaks", "source": "./speaks"}],
        },
        plugin / ".claude-plugin" / "plugin.json": {"name": "speaks", "version": "1.0.0", "lspServers": {"x": server}},
        settings / "settings.json": {"enabledPlugins": {"speaks@here": True}},
        settings / "plugins" / "known_marketplaces.json": {
            "here": {
                "source": {"source": "directory", "path": str(market)},
                "installLocation": str(market),
                "lastUpdated": "2026-01-01T00:00:00.000Z",
            }
        },
        settings / "plugins" / "installed_plugins.json": {
            "version": 2,
            "plugins": {"speaks@here": [{"scope": "user", "installPath": str(plugin), "version": "1.0.0"}]},
        },
    }  # fmt: skip
    for file, content in written.items():
        write(json.dumps(content), file)


async def test_they_are_handed_no_keys_and_nothing_that_may_not_be_read(serve: ServeModel, home: Path) -> None:
    (home / ".ssh").mkdir()
    for file in (Path("plain.txt"), Path("denied.txt"), home / ".ssh" / "mine.pem"):
        file.write_text(f"all of {file.name}")
    Path("link.txt").symlink_to(home / ".ssh" / "mine.pem")
    files = ["plain.txt", "denied.txt", str(home / ".ssh" / "mine.pem"), "link.txt"]
    looks = [call("LSP", operation="hover", filePath=file, line=1, character=1) for file in files]
    async with serve([*looks, say("Done.")]) as model:
        write('deny = ["Read(denied.txt)"]')
        bring_server()
        config = MaverickConfig.load().model_copy(update={"setting_sources": ("user",)})
        async with watch(Linguist, config=config, is_attended=False) as run:
            await run.ask("go")
            told = [event.output for event in run.all(ToolFinished)]
    assert "all of plain.txt" in told[0]
    assert not [output for output in told[1:] if "all of" in output]
    (tool,) = (tool for tool in model.requests[0]["tools"] if tool["name"] == "LSP")
    assert is_understood("LSP", tool["input_schema"]["properties"])

"""Texts that try to be more than text, and a run in which everybody speaks them."""

from __future__ import annotations

from maverick_tui.events import kinds as ev
from tests.support.runs import Tape

RUN = "window.hacked=1"
"""What would be seen if any of it ran."""

HOSTILE = {
    "script": f"<script>{RUN}</script>",
    "end of a script": f"</script><script>{RUN}</script>",
    "end of a style": f"</style></title></textarea><img src=x onerror={RUN}>",
    "drawing": f"<svg onload={RUN}><a xlink:href='javascript:{RUN}'>x</a><animate onbegin={RUN}></svg>",
    "link": f"[click](javascript:{RUN}) [x](JaVaScRiPt:{RUN}) <javascript:{RUN}>",
    "link in disguise": f"[click](java&#115;cript:{RUN}) [t](\\javascript:{RUN}) [v](vbscript:x) [f](file:///etc/passwd)",
    "data": f"[d](data:text/html,<script>{RUN}</script>) [i](data:image/png;base64,AAAA)",
    "picture": "![p](http://127.0.0.1:9/pixel.png) ![d](data:image/svg+xml;base64,PHN2Zz4=)",
    "picture elsewhere": "![p][pixel]\n\n[pixel]: http://127.0.0.1:9/pixel.png\n\nand more",
    "html in markdown": f"<div onclick={RUN}>\n\n*x*\n\n<iframe src='javascript:{RUN}'></iframe>\n\n</div>",
    "attribute": f"\" onmouseover=\"{RUN}\" ' onfocus='{RUN}' autofocus `",
    "title of a link": f'[t](http://a.example "x\\" onclick={RUN} y") <http://a.example/"onclick={RUN}>',
    "info of a fence": f'```"><script>{RUN}</script>\n</code></pre><script>{RUN}</script>\n```',
    "open fence": f"```\n</code></pre><script>{RUN}</script>",
    "entities": f"&lt;script&gt;{RUN}&lt;/script&gt; &#60;script&#62; \\<script>",
    "comment": f"<!-- --><script>{RUN}</script> <![CDATA[<b>]]> <?php x ?> <!DOCTYPE x>",
    "going elsewhere": "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><base href=http://127.0.0.1:9/>",
    "form": f"<form action=http://127.0.0.1:9/><input autofocus onfocus={RUN}><button>x</button></form>",
    "table": f"|a|<b>|\n|-|--:|\n|<script>{RUN}</script>|x|",
    "ticks": f"`` ` <img src=x onerror={RUN}> `",
    "control codes": "\x1b[2J\x1b]0;owned\x07\x9b31m\r\x00\x08\x7f",
    "link of a terminal": "\x1b]8;;http://127.0.0.1:9/\x1b\\click\x1b]8;;\x1b\\",
    "reordering": "\u202egnp.exe\u2066\u200b\U000e0041",
    "half a character": "a\ud800b",
    "structure": "# no heading\n---\n> no quote\n1. no list",
}


def spoken(evil: str) -> Tape:
    """A run in which this is said wherever something can be said."""
    tape = Tape(agent=f"a {evil}", cwd=f"/w/{evil}", model=evil, branch=evil).connect()
    tape.prompt(evil).think(evil, chunk=3).say(evil, chunk=3).put(ev.RunNamed(tape.at, evil))
    tape.tool(f"T {evil}", {evil: evil, "list": [evil, {evil: evil}]}, evil)
    tape.tool("Bash", {"command": evil, "description": evil}, evil)
    patch = {"structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": [f"-{evil}", f"+{evil}", evil]}]}
    tape.tool("Edit", {"file_path": evil, "old_string": evil, "new_string": f"{evil}2"}, "ok", detail=patch)
    tape.tool("Write", {"file_path": evil, "content": evil}, "ok").tool("ExitPlanMode", {"plan": evil}, evil)
    tape.tool("TodoWrite", {"todos": [{"content": evil, "status": evil}]}, "ok")
    options = [{"label": evil, "description": evil}]
    tape.tool("AskUserQuestion", {"questions": [{"question": evil, "options": options}]}, evil, is_error=True)
    agent = tape.call("Agent", {"description": evil, "prompt": evil})
    tape.say(evil, parent=agent).tool("Bash", {"command": "x"}, f"diff --git {evil}", parent=agent).answer(agent, evil)
    tape.ask("Bash", {"command": evil}, reason=evil).decide("deny", evil).put(ev.Noticed(tape.at, "x", evil))
    failure = ev.Failure(evil, "network", evil, evil, (evil,), evil, evil)
    tape.done("failed", failure=failure).prompt(f"again {evil}", origin="background")
    return tape.put(ev.PromptSent(tape.at, 2, evil)).put(ev.ConnectFailed(tape.at, failure))

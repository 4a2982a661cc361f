"""What Maverick's own settings have it run: it does so unasked, whoever has edited that."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.agent.engine.claude.options import judge_by
from maverick_tui.executor import tool
from tests.conftest import ServeModel
from tests.support.agents import Talker, context
from tests.support.cases import each
from tests.support.model import call, say


class Writer(Talker):
    """May edit, and run nothing."""

    allowed_tools = ("Read", "Write")
    permission_mode = "acceptEdits"


@tool
def write_down(path: str, text: str) -> str:
    """Writes to a file."""
    Path(path).write_text(text)
    return "written"


class ApiWriter(Talker):
    """The same with the other engine."""

    name = "writer"
    engine = "api"
    own_tools = (write_down,)


def set_to(home: Path, text: str) -> None:
    file = home / ".config" / "maverick" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize("engine", ["claude", "api"])
async def test_what_tells_the_person_news_is_not_changed_unasked(engine: str, home: Path, serve: ServeModel) -> None:
    Path("notify.sh").write_text("exit 0\n")
    set_to(home, f'notify_command = ["sh", "{Path.cwd()}/notify.sh", "{{text}}"]\n')
    if engine == "claude":
        agent: Talker = Writer()
        calls = [call("Read", file_path="notify.sh"), call("Write", file_path="notify.sh", content="touch PWNED")]
        other = call("Write", file_path="other.sh", content="x")
    else:
        agent = ApiWriter()
        calls, other = [call("write_down", path="notify.sh", text="x")], call("write_down", path="other.sh", text="x")
    async with serve([*calls, other, say("done")]) as model:
        assert (await agent.run("go", context())).success
    assert Path("notify.sh").read_text() == "exit 0\n"
    assert "may be what Maverick runs, by your settings" in str(model.requests[-1]["messages"])
    assert Path("other.sh").exists()


@each(
    ("setting", "asks"),
    [
        ('notify_command = ["{cwd}/tell", "news.py"]', True),
        ('notify_command = ["python3", "{cwd}/news.py"]', True),
        ('notify_command = ["sh", "-c", "{cwd}/news.py --now"]', True),
        ('notify_command = ["notify-send", "{{title}}.py", "{{text}}"]', False),
        ('cli_path = "{cwd}/news.py"', True),
        ('ssh = "{cwd}/news.py"', True),
        ('ssh = "ssh -F {cwd}/news.py"', True),
        ('ssh = "news.py"', False),
        ('remote_maverick = "{cwd}/news.py"', True),
        ('remote_maverick = "news.py"', False),
        ("no settings", False),
    ],
)
def test_they_are_known_as_they_are_at_the_moment(home: Path, setting: str, asks: bool) -> None:
    set_to(home, "")
    judge = judge_by(MaverickConfig.load(), Writer(), None, person=True)

    def decided(name: str) -> tuple[str, bool]:
        judgement = judge.judge("Write", {"file_path": name, "content": "x"}, mode="acceptEdits")
        return judgement.decision, judgement.is_asked_each_time

    assert decided("news.py") == ("allow", False)
    set_to(home, setting.format(cwd=Path.cwd()))
    assert (decided("news.py"), decided("other.py")) == (("ask", True) if asks else ("allow", False), ("allow", False))


def test_what_a_session_was_given_counts_whatever_the_file_says(home: Path) -> None:
    judge = judge_by(MaverickConfig(notify_command=("sh", "news.sh")), Writer(), None, person=True)
    set_to(home, "no settings")
    assert judge.judge("Write", {"file_path": "news.sh", "content": "x"}, mode="acceptEdits").decision == "ask"

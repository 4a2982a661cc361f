"""Files that shells read when they start: whoever writes one has a command run, however the shell is led there."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash, decide
from tests.attacks.driving import Call, attended
from tests.attacks.sandbox import Sandbox
from tests.attacks.start_up import LINES, OH_MY_ZSH
from tests.conftest import ServeModel
from tests.support.sampling import sampled

EDITS = ["Read", "Write", "Edit", "Bash"]
HARMLESS = ("src/a.py", "docs/x.md", "Makefile", "LICENSE", ".gitignore", "data.json")


@pytest.fixture
def project() -> Path:
    """A project in a home directory of its own, of which nothing is known from before."""
    folder = Path.home() / "src" / "work"
    (folder / "there").mkdir(parents=True)
    return folder


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("name", sampled(list(LINES), 2))
def test_what_start_up_files_lead_to_asks(name: str, project: Path) -> None:
    start, line, file = LINES[name]
    (Path.home() / ".linked").symlink_to(project / "linked.sh")
    write(Path.home() / ".more", f". {project}/zz/from-more.sh\n")
    own = str(project.relative_to(Path.home()))
    line = line.replace("{C}", str(project)).replace("{R}", own).replace("{N}", project.name)
    write(Path.home() / start, f"# Mine\n{line}\n")
    judge = Judge(EDITS, project, person=True)
    assert decide(judge, "Write", {"file_path": file}) == "ask"
    assert decide(Judge(["Write(**)"], project, person=False), "Write", {"file_path": file}) == "deny"
    assert [decide(judge, "Write", {"file_path": path}) for path in HARMLESS] == ["allow"] * len(HARMLESS)
    assert decide(judge, "Bash", bash("git status")) == "allow"


@pytest.mark.parametrize(
    "line",
    [
        "ZDOTDIR=~/.config/zsh",
        'export ZDOTDIR="${XDG_CONFIG_HOME:-$HOME/.config}/zsh"',
        ': "${ZDOTDIR:=$HOME/.config/zsh}"',
        "C=~/.config\n[[ -d $C ]] && typeset ZDOTDIR=$C/zsh",
        ". ~/.more",
    ],
)
def test_what_zsh_reads_where_a_start_up_file_has_sent_it_leads_on(line: str, project: Path) -> None:
    write(Path.home() / ".zshenv", f"{line}\n")
    write(Path.home() / ".more", "ZDOTDIR=$HOME/.config/zsh\n")
    write(Path.home() / ".config" / "zsh" / ".zshrc", f". {project}/zz/a.txt\n")
    judge = Judge(EDITS, project, person=True)
    assert decide(judge, "Write", {"file_path": "zz/a.txt"}) == "ask"
    assert [decide(judge, "Write", {"file_path": path}) for path in HARMLESS] == ["allow"] * len(HARMLESS)


def test_files_that_are_written_unasked_hide_none_that_a_shell_reads(project: Path) -> None:
    write(Path.home() / ".bashrc", f'for file in {project}/$WHICH; do . "$file"; done\n')
    led_to = [f"lib/settings{number}" for number in range(4)]
    for number, file in enumerate(led_to):
        write(project / f"aliases{number}.sh", f". {project}/{file}.conf\n")
    notes = [project / f"{number}.md" for number in range(1_000)]
    assert decide(Judge(EDITS, project, person=True), "Write", {"file_path": str(notes[0])}) == "allow"
    for note in notes:
        note.touch()
    notes[0].write_text(" ".join(f"/elsewhere/{number}" for number in range(5_001)))
    judge = Judge(EDITS, project, person=True)
    assert [decide(judge, "Write", {"file_path": f"{file}.conf"}) for file in led_to] == ["ask"] * len(led_to)
    assert decide(judge, "Write", {"file_path": "lib/other.conf"}) == "allow"


@pytest.mark.parametrize(
    ("folder", "file"),
    [("custom", "plugins/mine/mine.plugin.zsh"), ("custom/plugins/mine", "mine.plugin.zsh"), ("themes", "x.zsh-theme")],
)
def test_what_a_collection_of_plugins_leads_to_asks(folder: str, file: str, project: Path) -> None:
    for path, text in OH_MY_ZSH.items():
        write(Path.home() / path, text)
    cwd = Path.home() / ".oh-my-zsh" / folder
    cwd.mkdir(parents=True)
    judge = Judge(EDITS, cwd, person=True)
    assert decide(judge, "Write", {"file_path": file}) == "ask"
    assert decide(judge, "Write", {"file_path": "notes.md"}) == "allow"
    assert decide(Judge(EDITS, project, person=True), "Write", {"file_path": file}) == "allow"


async def test_the_shell_of_a_command_runs_nothing_that_was_just_written(sandbox: Sandbox, serve: ServeModel) -> None:
    (sandbox.home / ".bashrc").write_text(f'. "${{DOTFILES:-{sandbox.project}}}/aliases.sh"\n')
    before = (sandbox.home / ".bashrc").read_text()
    content = f"touch {sandbox.project}/PWNED-start-up\n"
    calls = [
        Call("write", "Write", {"file_path": str(sandbox.project / "aliases.sh"), "content": content}),
        Call("list", "Bash", {"command": "ls"}),
    ]
    report = await attended(sandbox, serve, calls, allowed_tools=EDITS)
    assert report.outcomes["write"].has_run is False, report.explain(["write"])
    assert not report.changes
    assert (sandbox.home / ".bashrc").read_text() == before

"""Denied files by other paths: by the name that a rule says, by links on the way, where they lead, from the root."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.permissions.deciding import bash, judged, write
from tests.executor.files.support import git


@pytest.fixture
def linked(project: Path, tmp_path: Path) -> Path:
    """A project in which what rules deny are links."""
    (project / "config").mkdir()
    (project / "config" / "dev.env").write_text("TOKEN=hush\n")
    (project / ".env").symlink_to("config/dev.env")
    (project / "now").symlink_to(".env")
    (project / "copy.txt").symlink_to("README.md")
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.txt").write_text("hush\n")
    (project / "secrets").symlink_to(tmp_path / "vault")
    (project / "docs").mkdir(exist_ok=True)
    (project / "docs" / "page.md").symlink_to("../README.md")
    (project / "README.md").write_text("read me\n")
    (Path.home() / "Cloud" / "notes").mkdir(parents=True)
    (Path.home() / "notes").symlink_to("Cloud/notes")
    git(project, "init", "-q")
    git(project, "add", "-A")
    denied = '"Read(.env)", "Read(secrets/**)", "Read(~/notes/**)", "Read(**/*.pem)", "Edit(docs/**)"'
    write(f'allow = ["Bash(rm:*)", "Bash(sed:*)", "Bash(cp:*)", "Bash(ln:*)"]\ndeny = [{denied}]')
    (project / "key.pem").symlink_to("README.md")
    return project


@pytest.mark.parametrize(
    "path",
    [".env", "now", "./src/../.env", "config/dev.env", "secrets/a.txt", "~/notes/a", "~/Cloud/notes/a", "key.pem"],
)
def test_what_a_rule_denies_is_not_read_by_its_link_or_behind_it(path: str, linked: Path) -> None:
    tool = {"file_path": str(Path(path).expanduser() if path.startswith("~") else linked / path)}
    assert judged(linked, "Read", tool).decision == "deny"
    assert judged(linked, "Bash", bash(f"cat {path}")).decision in ("deny", "ask")
    assert judged(linked, "Bash", bash(f"cat {path}"), person=False).decision == "deny"


@pytest.mark.parametrize(
    "command", ["head -1 .e*", "cd config && cat dev.env", "git diff", "git show HEAD:config/dev.env"]
)
def test_neither_by_a_pattern_nor_by_git(command: str, linked: Path) -> None:
    assert judged(linked, "Bash", bash(command), person=False).decision == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "rm -r docs",
        "rm docs/page.md",
        "sed -i s/a/b/ docs/page.md",
        "cp README.md docs/page.md",
        "ln -sf x docs/page.md",
    ],
)
def test_a_link_that_may_not_be_changed_is_not(command: str, linked: Path) -> None:
    assert judged(linked, "Bash", bash(command), person=False).decision == "deny"
    assert judged(linked, "Edit", {"file_path": str(linked / "docs" / "page.md")}).decision == "deny"


@pytest.mark.parametrize("command", ["cat README.md", "cat copy.txt", "ls config", "cat docs/page.md", "git status"])
def test_other_links_are_read(command: str, linked: Path) -> None:
    assert judged(linked, "Bash", bash(command)).decision == "allow"


def test_a_path_with_one_slash_is_denied_from_the_root_and_from_the_folder(linked: Path) -> None:
    write(f'deny = ["Read({linked}/README.md)", "Read(/docs/**)"]')
    for path in ("README.md", "docs/page.md"):
        assert judged(linked, "Read", {"file_path": str(linked / path)}).decision == "deny"
        assert judged(linked, "Bash", bash(f"cat {path}")).decision == "deny"
    assert judged(linked, "Bash", bash("cat copy.txt"), person=False).decision == "deny", "it leads there"
    assert judged(linked, "Bash", bash("cat src/main.py")).decision == "allow"


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("zcat data/dump.sql", "deny"),
        ("zgrep x data/dump.sql", "deny"),
        ("unzip -p data/all", "deny"),
        ("zip -q data/all README.md", "deny"),
        ("zgrep x data/key", "deny"),
        ("zcat data/other", "allow"),
        ("unzip -p data/other", "allow"),
    ],
)
def test_nor_by_a_program_that_completes_its_name(command: str, decision: str, project: Path) -> None:
    (project / "data").mkdir()
    (Path.home() / ".ssh").mkdir()
    (Path.home() / ".ssh" / "id_rsa").write_text("SECRET\n")
    (project / "data" / "key.gz").symlink_to(Path.home() / ".ssh" / "id_rsa")
    allowed = ", ".join(f'"Bash({program}:*)"' for program in ("zcat", "zgrep", "unzip", "zip"))
    write(f'allow = [{allowed}]\ndeny = ["Read(data/dump.sql.gz)", "Read(data/all.zip)"]')
    assert judged(project, "Bash", bash(command), person=False).decision == decision

"""Places that a command writes to or reads from without naming them: copies in folders, and links in those."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import copying, patterns
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.tools import ToolRule
from tests.agent.permissions.deciding import bash, decide
from tests.support.cases import each
from tests.support.sampling import sampled

PROGRAMS = "tee sdiff split csplit cp mv ln install rsync scp diff zip 7z aws gunzip gzip ditto sed perl".split()
RULES = [*(f"Bash({program}:*)" for program in PROGRAMS), "Bash(git mv:*)", "Bash(sh -c:*)", "Bash(env cp:*)"]


@pytest.fixture
def clone(project: Path) -> Path:
    """A project with a template, and with links to where that must not be copied."""
    for path in (
        "tpl/a.md",
        "tpl/sub/b.md",
        "tpl/sub/c.md",
        "vend/.vscode/tasks.json",
        "plain/x",
        "empty/x",
        "cfg/fish/x",
    ):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).touch()
    (project / "keys").unlink()
    (project / "away").unlink()
    (project / "notes" / "tpl").mkdir(parents=True)
    (project / "notes" / "a.md").symlink_to(Path.home() / ".bashrc")
    (project / "notes" / "tpl" / "sub").symlink_to(Path.home() / ".config" / "maverick")
    (project / "xaa").symlink_to(Path.home() / ".bashrc")
    (project / "around").mkdir()
    (project / "around" / "again").symlink_to("../around")
    (project / "around" / "notes").symlink_to("../notes")
    (project / "notes" / "key").symlink_to(Path.home() / ".ssh" / "id_rsa")
    return project


@each(
    "command",
    [
        "cp tpl/a.md notes", "cp -- tpl/a.md notes", "env cp tpl/a.md notes", "install tpl/a.md notes/",
        "install -D -t notes tpl/a.md", "install tpl/a.md notes -m 644", "mv tpl/a.md notes", "ln -sf tpl/a.md notes",
        "git mv -f tpl/a.md notes", "rsync tpl/a.md notes", "rsync -a tpl/ notes", "rsync -rt tpl/ notes/",
        "rsync -a --inplace tpl notes", "rsync -aR tpl/sub notes", "rsync -a --relative x/./tpl/sub notes",
        "scp host:x/a.md notes", "scp host:a.md notes", "scp -r host:x plain", "rsync -a host:x/ plain",
        "rsync -a rsync://host/x plain", "scp 'host:*' plain", "ditto tpl notes", "ditto -x -k a.zip plain",
        "cp -r vend new", "rsync -a vend/ new", "scp -r vend new", "mv cfg .config", "ln -s cfg .config",
        "ln -s ../cfg plain/.config", "cp -r cfg .config", "sh -c 'cp tpl/a.md notes'",
        "cp --suffix=x tpl/a.md plain/x", "mv -bS x tpl/a.md plain/x", "gunzip .envrc.gz", "split tpl/a.md",
        "split -b 1 tpl/a.md notes/a.", "csplit -f x tpl/a.md 1", "split -a 1 tpl/a.md .bashr",
        "csplit -f.bashr tpl/a.md 1", "gunzip -N x.gz", "gunzip -r plain", "gzip -dS c x.c",
        "gzip -d .envrc-gz", "gunzip .envrc_z", "gunzip plain/.npmrc-z", "gzip -S rc .npm",
        "sed -irc s/a/b/ .npm", "sed -n --in-place=c s/a/b/ plain/.npmr", "sed -i'.np*c' s/a/b/ mr",
        "sed -nirc -e s/a/b/ x .npm", "perl -pirc -e 1 .npm", "perl -i.np*c -pe 1 mr", "sed -i rc s/a/b/ .npm",
        "sed -i t/hooks/x s/a/b/ .gi", "sed -i'node_modules/*' s/a/b/ a.js", "perl -pi_modules/a -e 1 node",
        "wget http://h/.npmr%2563", "tar cf - '.\\145nv'", r"tar --remove-files -cf x.tar '.g\151t'",
        "rsync -b --suffix=rc tpl/a.md .npm", "rsync --backup --suffix rc tpl/a.md .npm",
    ],
)  # fmt: skip
@pytest.mark.parametrize("person", sampled([False, True], 2))
def test_what_is_put_in_a_protected_place_asks_each_time(person: bool, command: str, clone: Path) -> None:
    judgement = Judge(RULES, clone, person=person).judge("Bash", bash(command))
    assert judgement.decision == ("ask" if person else "deny")
    assert judgement.is_asked_each_time == person


@each(
    "command",
    [
        "cp src/a.py src/b.py", "cp src/a.py plain", "cp -r tpl new", "cp -r tpl/. plain", "cp -a notes new",
        "mv tpl new", "mv notes new", "mv vend new", "ln -s tpl plain", "ln -s ../tpl/a.md plain/b",
        "install -m 755 tpl/a.md plain", "rsync -a tpl/ plain", "rsync -a vend/ host:new", "scp host:a.md plain",
        "scp -r tpl host:new", "git mv tpl/a.md plain", "gunzip a.md.gz",
        "gunzip x-gz", "sed -i.bak s/a/b/ src/a.py", "sed -ie s/a/b/ src/a.py", "sed -i s/a/b/ src/a.py",
        "perl -pi.orig -e s/a/b/ src/a.py", "rsync -aS tpl/ plain",
        "gzip -r plain", "diff -r tpl plain", "diff -r --no-dereference notes tpl", "zip -ry a.zip notes",
        "7z a -snl a.7z notes",
    ],
)  # fmt: skip
def test_ordinary_copies_run(command: str, clone: Path) -> None:
    assert Judge(RULES, clone, person=False).judge("Bash", bash(command)).reason == ""


@each(
    "command",
    [
        "diff -r notes tpl", "diff -r tpl notes", "diff -rq notes tpl", "diff --to-file=notes a.md",
        "zip -r a.zip notes", "7z a a.7z notes", "7z a a.7z", "zip -R a.zip 'k*'", "sdiff tpl/a.md notes",
        "aws s3 cp --recursive notes s3://x", "scp -r notes host:x", "rsync -aL notes host:x",
        "rsync -a --copy-unsafe-links notes host:x", "cp -aL notes new", "cp -r --dereference notes new",
        "zip -r a.zip .", "diff -r around tpl",
    ],
)  # fmt: skip
@pytest.mark.parametrize("person", [True, False])
def test_a_link_to_keys_in_a_folder_that_is_read_asks_each_time(person: bool, command: str, clone: Path) -> None:
    judgement = Judge(RULES, clone, person=person).judge("Bash", bash(command))
    assert judgement.decision == ("ask" if person else "deny")
    assert judgement.is_asked_each_time == person


def test_links_that_stay_inside_or_lead_to_ordinary_places_are_followed(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "lib").mkdir(parents=True)
    (clone / "modules" / ".bin").mkdir(parents=True)
    for link, target in {
        ".bin/a": "../../tpl/a.md", "tpl": "../tpl", "itself": ".", "round": "round", "gone": "nowhere",
        "lib": str(tmp_path / "elsewhere"), "shell": "/bin/sh",
    }.items():  # fmt: skip
        (clone / "modules" / link).symlink_to(target)
    judge = Judge(RULES, clone, person=False)
    assert judge.judge("Bash", bash("diff -r modules tpl")).reason == ""
    (tmp_path / "elsewhere" / "lib" / ".netrc").touch()
    assert "keys" in judge.judge("Bash", bash("diff -r modules tpl")).reason


def test_what_a_grant_covers_asks_as_well_and_patterns_are_what_they_stand_for(clone: Path) -> None:
    judge = Judge(["Bash"], clone, person=True)
    for rule in (None, "cp:*", "cp tpl/* notes", "cp tpl/* plain"):
        judge.grant(ToolRule("Bash", rule))
    assert decide(judge, "Bash", bash("cp tpl/* notes")) == "ask"
    assert decide(judge, "Bash", bash("cp tpl/* plain")) == "allow"


def test_places_count_that_are_known_by_where_they_are(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(clone / "plain" / "b.md"))
    (Path.home() / ".bash_aliases").symlink_to(clone / "plain" / "c.md")
    judge = Judge(RULES, clone, person=False)
    for command in ("cp tpl/sub/c.md plain", "cp -r tpl/sub/. plain", "cp -t plain tpl/sub/b.md"):
        assert decide(judge, "Bash", bash(command)) == "deny", command
    assert decide(judge, "Bash", bash("cp -r tpl plain")) == "allow"


def test_a_folder_becomes_no_repository_by_what_is_copied_into_it(clone: Path) -> None:
    for path in ("parts/objects/x", "parts/refs/x", "parts/HEAD", "bare/HEAD", "bare/objects/x", "bare/refs/x"):
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / path).touch()
    judge = Judge(RULES, clone, person=False)
    for command in ("cp -r parts new", "cp -r tpl/. bare", "cp tpl/a.md bare", "rsync -a tpl/ bare"):
        assert decide(judge, "Bash", bash(command)) == "deny", command


def test_more_than_can_be_looked_at_asks(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "MOST_PUT", 2)
    monkeypatch.setattr(patterns, "MOST_SEEN", 5)
    judge = Judge(RULES, clone, person=False)
    assert "too much" in judge.judge("Bash", bash("cp -r tpl new")).reason
    assert "too much" in judge.judge("Bash", bash("diff -r tpl src")).reason
    assert decide(judge, "Bash", bash("cp -r plain new")) == "allow"


@each(
    "command",
    [
        "cp tpl/a.md ~/.local/lib/python3.11/site-packages/x.pth", "cp tpl/a.md ~/.local/lib/python3.11/site-packages",
        "cp -r tpl node_modules", "cp -r tpl/. node_modules/x", "cp -r whole .", "rsync -a whole/ ./",
        "cp tpl/a.md made/bin/ruff", "cp -r tpl made/lib", "cp tpl/a.md ~/bin/git", "cp tpl/a.md ~/bin",
        "ln -s tpl/a.md ~/bin/git", "mv tpl ~/bin", "tee ~/bin/git", "tee -a plain/x made/bin/python",
        f"cp tpl/a.md {sys.prefix}/lib/x.py", f"install tpl/a.md {sys.prefix}/bin", "cp tpl/a.md ~/.nvm/nvm.sh",
        "cp tpl/a.md ~/.fzf.bash", "mv tpl/a.md ~/.extra", "cp tpl/a.md ~/.xsessionrc",
        "cp tpl/a.md ~/.config/plasma-workspace/env/x.sh", "cp tpl/a.md ~/.local/share/systemd/user/x.service",
        "cp tpl/a.md ~/.config/nvim/init.lua", "cp tpl/a.md ~/.config/Code/User/tasks.json",
    ],
)  # fmt: skip
@pytest.mark.parametrize("person", [True, False])
def test_what_others_run_is_not_replaced_by_a_copy(
    person: bool, command: str, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path.home()
    for path in ("node_modules/a/x", "made/pyvenv.cfg", "whole/made/bin/x", "whole/node_modules/a/x"):
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / path).touch()
    (home / ".bashrc").write_text(
        '[ -s "$HOME/.nvm/nvm.sh" ] && . "$HOME/.nvm/nvm.sh"\n[ -f ~/.fzf.bash ] && source ~/.fzf.bash\n'
        'for file in ~/.{path,extra}; do . "$file"; done\n'
    )
    monkeypatch.setenv("PATH", f"{home}/bin:/usr/bin:{home}")
    judgement = Judge(RULES, clone, person=person).judge("Bash", bash(command))
    assert judgement.decision == ("ask" if person else "deny")
    assert judgement.is_asked_each_time == person


@each(
    "command",
    [
        "cp plain/best.pth tpl", "ln -s ../main/node_modules node_modules", "ln -s ../main/.venv .venv", "tee plain/x",
        ". ~/.nvm/nvm.sh", "bash ~/bin/start", "ls ~/bin", "cp ~/bin/start plain", "cp -r node_modules/a plain/a",
        "cp /usr/bin/env plain", "cp tpl/a.md bin/start", "cp -r lib plain",
    ],
)  # fmt: skip
def test_what_others_run_is_named_run_and_copied_from(
    command: str, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path.home()
    for path in (clone / "lib" / "x", clone / "plain" / "best.pth", home / "bin" / "start", home / ".nvm" / "nvm.sh"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (home / ".bashrc").write_text(". ~/.nvm/nvm.sh\n")
    monkeypatch.setenv("PATH", f"{home}/bin:/usr/bin:{clone}")
    assert Judge(["Bash"], clone, person=False).judge("Bash", bash(command)).reason == ""

"""Places that ask whatever the rules say."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from maverick_tui import AgentContext, AgentResult, MaverickAgent
from maverick_tui.agent.engine.judging import judge_of
from maverick_tui.agent.permissions import links
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.known_places import is_run_by_others
from maverick_tui.agent.permissions.started import Started
from maverick_tui.agent.tools import ToolRule
from tests.agent.permissions.deciding import bash, decide
from tests.support.sampling import sampled
from tests.test_real_paths import lead

PROTECTED = [
    ".git/config", ".GIT/config", ".git", "vendor/x/.git/hooks/pre-commit", "src/../.git/config", ".git /config",
    ".g\u200cit/x", ".git\\hooks\\x",
    ".maverick/agents/x.md", ".claude/settings.json", ".mcp.json", ".vscode/tasks.json", ".husky/pre-commit", ".envrc",
    ".bashrc", "sub/.zshenv", ".ssh/authorized_keys", ".aws/credentials", ".netrc", ".gitmodules", "hidden/config",
    "x.sublime-project", ".Rprofile", ".cargo/config.toml", ".yarnrc.yml", ".tool-versions",
    "lefthook.yaml", ".lefthook.yml", "lefthook-local.yml", "mise.local.toml", ".mise/config.toml", ".nvimrc",
    ".config/mise/config.toml", ".pre-commit-config.yml", ".windsurf/x", ".roo/x", ".kiro/x", ".amazonq/x",
    ".kilocode/mcp.json", ".amp/settings.json", "opencode.jsonc", "crush.json", ".agents/skills/x/run.sh",
]  # fmt: skip


def test_more_names_of_what_others_run() -> None:
    names = ".ocamlinit .utoprc .pylintrc .autoenv flake.nix shell.nix devenv.nix devbox.json .factory/x .augment/x"
    newer = ".github/hooks/x.json .github/mcp.json .copilot/mcp-config.json .pi/extensions/x.ts .lefthook/pre-commit/x"
    hooks = (
        ".git_hooks/x simple-git-hooks.json .simple-git-hooks.cjs nano-staged.js .rusty-hook.toml rust-toolchain.toml"
    )
    more = ".gradle/init.d/x.gradle .pijul/config _darcs/prefs/defaults jupyter_server_config.py latexmkrc .spacemacs"
    others = ".actrc pylintrc .luarc.jsonc .prototools"
    for name in (
        *names.split(),
        *newer.split(),
        *hooks.split(),
        *more.split(),
        *others.split(),
        ".externaltoolbuilders/x.launch",
        "tools/bazel",
    ):
        assert is_run_by_others(["project", *name.split("/")]), name
    for name in ("tools/bazel.md", ".github/workflows/ci.yml", "hooks/x.json"):
        assert not is_run_by_others(name.split("/")), name


@pytest.mark.parametrize("path", PROTECTED)
@pytest.mark.parametrize("person", sampled([True, False], 2))
def test_some_places_ask_whatever_the_rules_say(path: str, person: bool, project: Path) -> None:
    (project / ".git").mkdir()
    (project / "hidden").symlink_to(".git")
    judge = Judge(["Write", "Write(//**)", "Bash", "mcp__fs__*"], project, person=person)
    judge.grant(ToolRule("Write"))
    judge.grant(ToolRule("Bash"))
    judge.grant(ToolRule("Bash", "cp *"))
    refused = "ask" if person else "deny"
    assert decide(judge, "Write", {"file_path": path}) == refused
    assert decide(judge, "Write", {"file_path": str(project / path)}) == refused
    assert decide(judge, "mcp__fs__write", {"path": path}) == refused
    if " " not in path and "\\" not in path:
        for command in (f"cp x {path}", f"echo x > {path}", f"cp x '{path}'; true", f"sh -c 'cp x {path}'"):
            assert decide(judge, "Bash", bash(command)) == refused, command
    assert decide(judge, "Write", {"file_path": "src/.hidden"}) == "allow"
    assert decide(judge, "Bash", bash("cp x .gitignore")) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_what_an_environment_of_python_runs_is_not_written_unasked(person: bool, project: Path) -> None:
    judge = Judge(["Write", "Bash(.venv/bin/pytest:*)"], project, person=person)
    refused = "ask" if person else "deny"

    def write(path: str) -> str:
        return judge.judge("Write", {"file_path": path, "content": ""}, mode="acceptEdits").decision

    assert write("env/bin/python") == "allow"
    assert write("env/pyvenv.cfg") == refused
    (project / "env").mkdir()
    (project / "env" / "pyvenv.cfg").touch()
    for path in ("env/bin/python", "env/lib/python3.12/os.py", "node_modules/.bin/eslint"):
        assert write(path) == refused, path
    for path in ("evil-1.0.dist-info/entry_points.txt", "src/x.egg-info/METADATA", "src/x.pth"):
        assert write(path) == refused, path  # with it, the project's own file would be an installed agent
    assert write(f"{sys.prefix}/bin/maverick") == refused
    assert write("env/src/a.py") == "allow"
    (project / ".venv").symlink_to("env")
    judge.grant(ToolRule("Bash", ".venv/bin/pytest:*"))
    assert decide(judge, "Bash", bash(".venv/bin/pytest -q")) == "allow", "it may be run"
    (project / "pyvenv.cfg").touch()
    assert write("src/a.py") == "allow"
    assert write("bin/maverick") == refused
    inner = Judge(["Write"], project / "node_modules" / "mine", person=person)
    mine = {"file_path": "src/a.js", "content": ""}
    assert inner.judge("Write", mine, mode="acceptEdits").decision == "allow", "it is what is worked on"


def test_what_a_link_of_the_project_makes_of_a_place_counts(project: Path) -> None:
    for name in ("plain", "tools", "other"):
        (project / name).mkdir()
    (project / ".cargo").symlink_to("plain")
    (project / ".vscode").symlink_to("tools")
    (project / "docs").symlink_to("other")
    judge = Judge(["Write"], project, person=True)
    for path in ("plain/config.toml", ".cargo/config.toml", "tools/settings.json"):
        assert decide(judge, "Write", {"file_path": path}) == "ask", path
    for path in ("plain/notes.txt", "other/config.toml", "docs/a.md"):
        assert decide(judge, "Write", {"file_path": path}) == "allow", path


@pytest.mark.parametrize("person", [True, False])
def test_keys_are_not_read_unasked(person: bool, project: Path) -> None:
    home = Path.home()
    judge = Judge(["Read", "Grep", "Glob", "Bash"], project, person=person)
    refused = "ask" if person else "deny"
    for path in (
        "~/.ssh/id_rsa",
        str(home / ".aws" / "credentials"),
        "/proc/self/environ",
        "keys",
        str(home / ".npmrc"),
        "~/.config/git/credentials",
        "~/.codex/auth.json",
        "~/.local/share/opencode/auth.json",
        "~/.zsh_history",
        "~/.copilot/config.json",
        "~/.qwen/oauth_creds.json",
        "~/.local/share/amp/secrets.json",
        "~/.nomad-token",
        "~/Documents/passwords.kdbx",
    ):
        assert decide(judge, "Read", {"file_path": path}) == refused, path
        assert decide(judge, "Grep", {"pattern": "x", "path": path}) == refused, path
    assert decide(judge, "Grep", {"pattern": "x", "path": str(home)}) == refused
    (project / "deep" / "er").mkdir(parents=True)
    (project / "a").mkdir()
    (project / "a" / "k").symlink_to(home / ".ssh")
    (project / "a" / "link").symlink_to("../deep/er")
    for odd in ("/", " ~", "\ufeff~/.ssh ", "\u2003" + str(home), "a/link/../k", "/etc", "/run", "/root"):
        assert decide(judge, "Grep", {"pattern": "x", "path": odd}) == refused, odd
    assert decide(judge, "Read", {"file_path": "a/link/../k/id_rsa"}) == refused
    for folder in (home / ".config", home / ".local" / "share", home / ".claude"):
        assert decide(judge, "Grep", {"pattern": "x", "path": str(folder)}) == refused
    rules = Judge(["Bash(grep:*)", "Bash(rg:*)", "Bash(cat:*)"], project, person=person)
    for command in (f"grep -r key {home}", f"rg key {home}/.config", "rg key /", f"cat {home}/.ssh/id_rsa"):
        assert decide(rules, "Bash", bash(command)) == refused
    for path in (".npmrc", "/usr/include/stdio.h", "src/a.py"):
        assert decide(judge, "Read", {"file_path": path}) == "allow", path
    assert decide(judge, "Grep", {"pattern": "x"}) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_a_home_directory_is_no_ordinary_project(person: bool) -> None:
    judge = Judge(["Write", "Grep", "Read"], Path.home(), person=person)
    refused = "ask" if person else "deny"
    for path in (
        ".config/maverick/agents/x.py",
        ".local/state/maverick/trusted.json",
        ".ssh/authorized_keys",
        ".newrc",
    ):
        assert decide(judge, "Write", {"file_path": path}) == refused
    assert decide(judge, "Grep", {"pattern": "key"}) == refused
    assert decide(judge, "Grep", {"pattern": "key", "path": ".config"}) == refused
    (Path.home() / "code").mkdir()
    assert decide(judge, "Grep", {"pattern": "key", "path": "code"}) == "allow"
    for command in (
        "grep -r key .",
        "rg key",
        "grep -r key",
        "grep -rn -A 1 key",
        "grep -rne key",
        "rg --hidden -m 5 key",
    ):
        assert (
            decide(Judge(["Bash", "Bash(rg:*)", "Bash(grep:*)"], Path.home(), person=True), "Bash", bash(command))
            == "ask"
        )
    assert decide(judge, "Write", {"file_path": "notes.md"}) == "allow"


def test_where_git_keeps_its_own_is_known_by_more_than_its_name(project: Path) -> None:
    (project / "data" / "objects").mkdir(parents=True)
    (project / "data" / "HEAD").write_text("ref: refs/heads/main")
    (project / ".git").write_text("gitdir: data\n")
    judge = Judge(["Write"], project, person=True)
    assert decide(judge, "Write", {"file_path": "data/hooks/pre-commit"}) == "ask"
    assert decide(judge, "Write", {"file_path": ".githooks/pre-commit"}) == "ask"


@pytest.mark.parametrize("person", [True, False])
def test_no_folder_becomes_a_repository_by_its_files(person: bool, project: Path) -> None:
    """Git takes one for a bare repository that has a HEAD, objects and refs, and obeys the config in it."""
    judge, refused = Judge(["Write"], project, person=person), "ask" if person else "deny"
    for last in ("HEAD", "head", "objects/keep", "refs/keep"):
        made = project / last.replace("/", "-")
        for part in ("HEAD", "objects", "refs"):
            if part.casefold() != last.partition("/")[0].casefold():
                (made / part).mkdir(parents=True)
        assert decide(judge, "Write", {"file_path": f"{made}/config"}) == "allow", "it is none yet"
        assert decide(judge, "Write", {"file_path": f"{made}/{last}"}) == refused, last
    (project / "linked").mkdir()
    (project / "linked" / "commondir").touch()
    (project / "bare" / "objects").mkdir(parents=True)
    (project / "bare" / "refs").mkdir()
    (project / "bare" / "HEAD").touch()
    for path in ("linked/HEAD", "bare/config", "bare/hooks/post-checkout", "bare/lib/x"):
        assert decide(judge, "Write", {"file_path": path}) == refused, path
    for path in ("src/HEAD", "src/objects/x.py", "src/config"):
        assert decide(judge, "Write", {"file_path": path}) == "allow", path


def test_no_folder_becomes_a_repository_by_edits_that_are_on_their_way_or_by_one_command(project: Path) -> None:
    judge = Judge(["Write", "Bash(mkdir:*)"], project, person=False)
    parts = ("HEAD", "config", "objects/k", "refs/k")
    decisions = [decide(judge, "Write", {"file_path": f"lib/{part}"}) for part in parts]
    assert decisions == ["allow"] * 3 + ["deny"], "nothing of it is on the disk yet"
    (project / "other").mkdir()
    (project / "other/HEAD").touch()
    assert decide(judge, "Bash", {"command": "mkdir other/objects"}) == "allow"
    for command in ("mkdir other/objects other/refs", "mkdir -p other/objects/x other/refs/y"):
        assert decide(judge, "Bash", {"command": command}) == "deny", command
    assert decide(judge, "Write", {"file_path": "other/refs/k"}) == "deny", "mkdir may not have run yet"


def test_no_call_of_a_foreign_tool_makes_a_repository_and_its_words_are_no_files(project: Path) -> None:
    judge = Judge(["mcp__fs__*", "Write"], project, person=False)
    files = [{"path": f"lib/{part}"} for part in ("HEAD", "config", "objects/k", "refs/k")]
    assert decide(judge, "mcp__fs__write", {"files": files}) == "deny"
    (project / "objects").mkdir()
    assert decide(judge, "mcp__fs__log", {"revision": "HEAD"}) == "allow"
    assert decide(judge, "mcp__fs__log", {"ref": "refs/heads/main"}) == "allow"
    assert decide(judge, "Write", {"file_path": "notes.md"}) == "allow", "nothing was written by that"


def test_what_the_home_links_to_is_the_same_as_what_it_is_called_there(project: Path) -> None:
    home = Path.home()
    links = {".bashrc": "bashrc", ".config/fish": "fish", ".aws": "dot/aws", ".claude/settings.json": "claude.json"}
    for name, target in links.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).symlink_to(project / target)
    judge = Judge(["Read", "Write"], project, person=False)
    for path in ("bashrc", "fish/config.fish", "dot/aws/credentials", "claude.json"):
        assert decide(judge, "Write", {"file_path": path}) == "deny", path
    assert decide(judge, "Read", {"file_path": "dot/aws/credentials"}) == "deny"
    assert decide(judge, "Read", {"file_path": "bashrc"}) == "allow"
    assert decide(judge, "Write", {"file_path": "zshrc"}) == "allow"


def test_what_is_deep_in_the_home_and_leads_here_counts_by_its_name_there(project: Path) -> None:
    home = Path.home()
    links = {
        ".ssh/id_ed25519": "ssh/mykey", ".config/maverick/config.toml": "settings.toml", ".Rprofile": "Rprofile",
        ".config/maverick/agents/tool.py": "agents/tool.py", ".local/bin/tool": "bin/tool", ".zsh_aliases": "aliases",
        ".config/fish/config.fish": "fish/config.fish", ".config/nvim/lua/init.lua": "nvim/init.lua",
        ".claude/agents/a.md": "claude/a.md", ".local/share/app/plugins/mine": ".",
    }  # fmt: skip
    for name, target in links.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).symlink_to(project / target)
    judge = Judge(["Read", "Write"], project, person=False)
    for path in (target for target in links.values() if target != "."):
        assert decide(judge, "Write", {"file_path": path}) == "deny", path
    for path in ("ssh/mykey", "settings.toml"):
        assert decide(judge, "Read", {"file_path": path}) == "deny", path
    assert decide(judge, "Read", {"file_path": "fish/config.fish"}) == "allow"
    assert decide(judge, "Write", {"file_path": "notes.md"}) == "allow", "of a plugin, all would ask"


def test_what_is_below_a_link_counts_by_its_name_there(project: Path) -> None:
    home, dotfiles = Path.home(), Path.home() / "dotfiles"
    for name, target in {".config": "config", ".aws": "aws", ".local": "local"}.items():
        (dotfiles / target).mkdir(parents=True)
        (home / name).symlink_to(dotfiles / target)
    (dotfiles / "config" / "fish").symlink_to("../fishconf")
    (dotfiles / "fishconf").mkdir()
    (dotfiles / "config" / "round").symlink_to("..")
    inside = Judge(["Read", "Write"], dotfiles, person=False)
    assert decide(inside, "Write", {"file_path": "fishconf/config.fish"}) == "deny", "a link behind a link"
    assert decide(inside, "Read", {"file_path": "config/gh/hosts.yml"}) == "deny"
    assert decide(inside, "Read", {"file_path": "config/fish/config.fish"}) == "allow"
    deep = Judge(["Read", "Write"], dotfiles / "config", person=False)
    assert decide(deep, "Read", {"file_path": "gh/hosts.yml"}) == "deny"
    for path in ("systemd/user/x.service", "fish/config.fish", "git/config"):
        assert decide(deep, "Write", {"file_path": path}) == "deny", path
    assert decide(deep, "Write", {"file_path": "notes.md"}) == "allow"
    assert decide(Judge(["Write"], dotfiles / "local", person=False), "Write", {"file_path": "bin/tool"}) == "deny"
    elsewhere = Judge(["Read", "Grep"], project, person=True)
    assert decide(elsewhere, "Read", {"file_path": str(dotfiles / "aws" / "credentials")}) == "ask"
    assert decide(elsewhere, "Grep", {"pattern": "x", "path": str(dotfiles)}) == "ask"
    assert decide(elsewhere, "Read", {"file_path": str(dotfiles / "README")}) == "allow"


def test_a_home_of_any_size_is_looked_through_only_so_far(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "_MOST_FOLDERS", 30)
    monkeypatch.setattr(links, "_MOST_ENTERED", 20)
    for number in range(30):
        (Path.home() / ".aTrash" / f"{number}").mkdir(parents=True)
        (Path.home() / ".zeta" / f"{number % 3}" / f"{number}" / "deep").mkdir(parents=True, exist_ok=True)
    (Path.home() / ".aTrash" / "tool").symlink_to(project / "trash")
    (Path.home() / ".config" / "zsh").mkdir(parents=True)
    (Path.home() / ".config" / "zsh" / ".zshenv").symlink_to(project / "zsh")
    (Path.home() / ".bashrc").symlink_to(project / "bashrc")
    judge = Judge(["Write"], project, person=False)
    for path in ("bashrc", "zsh", "trash"):
        assert decide(judge, "Write", {"file_path": path}) == "deny", path


def test_a_folder_of_settings_that_cannot_be_looked_for_has_no_links(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"/{'x' * 300}")  # closed to us it answers alike
    assert decide(Judge(["Read"], project, person=True), "Read", {"file_path": "plain"}) == "allow"


def test_what_variables_name_is_known_by_them(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASH_ENV", str(project / "env.sh"))
    monkeypatch.setenv("KUBECONFIG", f"relative:{project / 'cluster'}")
    monkeypatch.setenv("ZDOTDIR", str(project.parent))
    monkeypatch.setenv("CLAUDE_ENV_FILE", "dev/env")
    monkeypatch.setenv("CLAUDE_CODE_SHELL_PREFIX", str(project / "dev/wrap.sh"))
    monkeypatch.setenv("EDITOR", "./tools/edit --wait")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", "dev/rgrc")
    monkeypatch.setenv("NODE_OPTIONS", "--require=./dev/hook.js")
    judge = Judge(["Read", "Write"], project, person=False)
    for path in ("env.sh", "dev/env", "dev/wrap.sh", "tools/edit", "dev/rgrc", "dev/hook.js"):
        assert decide(judge, "Write", {"file_path": path}) == "deny", path
    assert decide(judge, "Read", {"file_path": "cluster"}) == "deny"
    assert decide(judge, "Write", {"file_path": "notes.md"}) == "allow"


def test_no_file_at_all_is_no_start_up_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    judge = Judge(["Bash"], project, person=False)
    assert decide(judge, "Bash", {"command": f"(make) > {os.devnull}"}) == "allow"


def test_what_the_variables_of_settings_name_is_known_by_them(project: Path) -> None:
    given = {"CLAUDE_ENV_FILE": str(project / "dev/env.sh"), "KUBECONFIG": "cluster"}
    judge = Judge(["Read", "Write"], project, person=False, environment=given)
    assert decide(judge, "Write", {"file_path": "dev/env.sh"}) == "deny"
    assert decide(judge, "Read", {"file_path": "cluster"}) == "deny"
    assert decide(judge, "Read", {"file_path": "src/a.py"}) == "allow"


def test_a_link_to_an_open_file_is_as_little_opened_as_its_number(project: Path) -> None:
    with (project / "notes.md").open("w") as file:
        (project / "number").symlink_to(f"/dev/fd/{file.fileno()}")
        (project / "second").symlink_to("number")
        (project / "numbers").symlink_to("/proc/self/fd")
        for path in ("number", "second", f"numbers/{file.fileno()}"):
            assert decide(Judge(["Read"], project, person=False), "Read", {"file_path": path}) == "deny", path


def test_what_a_protected_name_of_the_project_links_to_is_protected_too(project: Path) -> None:
    for folder in ("tools/husky", ".githooks", "pk"):
        (project / folder).mkdir(parents=True)
    (project / ".husky").symlink_to("tools/husky")
    (project / ".githooks" / "pre-commit").symlink_to("../tools/check")
    (project / "pk" / ".envrc").symlink_to("../tools/env")
    (project / "pk" / ".netrc").symlink_to("../tools/cred")
    judge = Judge(["Read", "Write"], project, person=False)
    for path in ("tools/husky/pre-push", "tools/check", "tools/env", "tools/cred"):
        assert decide(judge, "Write", {"file_path": path}) == "deny", path
    assert decide(judge, "Read", {"file_path": "tools/cred"}) == "deny"
    assert decide(judge, "Write", {"file_path": "tools/other"}) == "allow"


@pytest.mark.parametrize("tool", ["Read", "Grep", "Write"])
def test_no_file_is_opened_by_the_number_that_it_has_here(tool: str, project: Path) -> None:
    with (project / "notes.md").open("w") as file:
        path = {"Grep": "path"}.get(tool, "file_path")
        judge = Judge([tool], project, person=False)
        assert decide(judge, tool, {path: f"/dev/fd/{file.fileno()}", "pattern": "x"}) == "deny"


@pytest.mark.parametrize("person", [True, False])
def test_what_reading_would_wait_for_is_no_ordinary_file(person: bool, project: Path) -> None:
    os.mkfifo(project / "CLAUDE.md")
    (project / "pipe").symlink_to("CLAUDE.md")
    judge = Judge(["Read", "Bash(cat:*)", "Grep"], project, person=person)
    refused = "ask" if person else "deny"
    for path in ("CLAUDE.md", "pipe"):
        assert decide(judge, "Read", {"file_path": path}) == refused
        assert decide(judge, "Grep", {"pattern": "x", "path": path}) == refused
        assert decide(judge, "Bash", bash(f"cat {path}")) == refused
    assert decide(judge, "Bash", bash("cat C*")) == refused
    assert decide(judge, "Bash", bash("cat src/a.py > /dev/null")) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_what_the_agents_own_hooks_and_servers_run_is_not_edited_unasked(person: bool, project: Path) -> None:
    class Hooked(MaverickAgent):
        """Has hooks and servers that are files of the project."""

        system_prompt = "Work."
        allowed_tools = ("Edit", "Write", "Bash(./run.sh:*)", "mcp__js__write_file")
        hooks = {
            "PostToolUse": [
                {"matcher": "Edit", "hooks": [{"type": "command", "command": "cd tools && ./check.sh; ./run.sh"}]},
                {"hooks": [{"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/bin/lint --fix src'}]},
                {"hooks": [{"type": "command", "command": "python3", "args": ["-m", "beside.check"]}]},
            ]
        }
        mcp_servers = {
            "js": {"command": "node", "args": ["${CLAUDE_PROJECT_DIR}/mcp/server.js"]},
            "python": {"command": "python", "args": ["-m", "served.tasks"]},
            "remote": {"type": "http", "url": "https://example.org"},
        }

        async def execute(self, context: AgentContext) -> AgentResult:
            raise NotImplementedError

    (project / "tools").mkdir()
    (project / "tools" / "check.sh").symlink_to("../src/check.sh")
    (project / "run.sh").symlink_to("src/real.sh")
    judge = judge_of(Hooked(), project, person=person)
    judge.grant(ToolRule("Write"))
    for path in (
        "tools/check.sh", "tools/CHECK.sh", "run.sh", "src/real.sh", "bin/lint", str(project / "mcp" / "server.js"),
        "served/tasks.py", "served/tasks/__main__.py", "src/../run.sh", "python", "beside/check.py",
    ):  # fmt: skip
        for tool, name in (("Edit", "file_path"), ("Write", "file_path"), ("mcp__js__write_file", "path")):
            assert decide(judge, tool, {name: path}) == ("ask" if person else "deny"), path
    for path in ("src/a.py", "tools/other.sh", "src/server.js", "served/other.py", "mcp/README.md"):
        assert decide(judge, "Write", {"file_path": path}) == "allow", path
    if not person:
        assert decide(judge, "Bash", bash("./run.sh")) == "allow"


STARTED = [
    ('"$CLAUDE_PROJECT_DIR/scripts/my check.sh"', "scripts/my check.sh"),
    (r"./scripts/my\ check.sh", "scripts/my check.sh"),
    ("python3 -um tools.check", "tools/check.py"),
    ("python3.12 -Im tools.check", "tools/check/__main__.py"),
    ("python -mtools.check", "tools/check.py"),
    ("python -m 'tools.check' src", "tools/__init__.py"),
    ("uv run --module tools.check", "tools/check.py"),
    ("uv run --with mcp tools", "tools/__main__.py"),
    ("node ./mcp/server", "mcp/server.js"),
    ("node ./mcp", "mcp/index.js"),
    ("node --import ./mcp/hooks ./other", "mcp/hooks.mjs"),
    ("sh -c 'cd here; exec node mcp/server'", "here/mcp/server.js"),
    ("npx -y tsx mcp/server", "mcp/server.ts"),
    ("python -X dev tools", "tools/__main__.py"),
    ("go run ./cmd/x", "cmd/x/main.go"),
    ("cd mcp && node .", "mcp/index.js"),
    ("run-parts scripts", "scripts/one"),
    ("A=1 ./scripts/d/*", "scripts/d/one"),
    ("nice timeout 5s ./scripts/check", "scripts/check.cmd"),
    (r"scripts\check.cmd", "scripts/check.cmd"),
    (". scripts/env", "scripts/env"),
    ("if true; then ./check; fi", "check.sh"),
    ("'unbalanced ./check.sh", "check.sh"),
    ("npx -y some-mcp", "package.json"),
    ("cd web && npm run lint", "web/package.json"),
    ("make lint", "Makefile"),
    ("uv run mcp-server", "pyproject.toml"),
    ("pip install -e .", "pyproject.toml"),
    ("python3 -m pip install .[dev]", "setup.py"),
    ("pip3.11 install .", "setup.cfg"),
    ("meson setup build", "meson.build"),
    ("swift build", "Package.swift"),
    ("npm ci --offline", "package-lock.json"),
    ("uv sync", "uv.lock"),
    ("docker compose up", "compose.override.yaml"),
    ("./gradlew deps", "gradle/wrapper/gradle-wrapper.properties"),
    ("bazel build //x", "x/BUILD.bazel"),
    ("python3 -c 'import tools.check'", "tools/check.py"),
    ("for f in scripts/*.sh; do sh $f; done", "scripts/a.sh"),
    ("bash -c 'scripts/{check,lint}.sh'", "scripts/lint.sh"),
    ("cat scripts/* | bash", "scripts/a"),
    ("find scripts/ -name '*.sh' -exec sh {} +", "scripts/a.sh"),
    ("uvicorn --app-dir . server:app", "server.py"),
    ("fastmcp run server.py:mcp", "server.py"),
    ("gunicorn pkg.mod:app", "pkg/mod.py"),
    ("npx --package=./mcp x", "mcp/package.json"),
    ("npx -y file:./mcp", "mcp/index.js"),
    ("uvx --from ./tools x", "tools/setup.py"),
]
FREE = [
    ("ruff check src", "src/a.py"),
    ("pytest -q tests", "tests/test_a.py"),
    ("python -m pytest tests", "tests/test_a.py"),
    ("python -u tools/check.py src", "src/a.py"),
    ("bash -e scripts/check.sh src", "src/a.py"),
    ("npx eslint src", "src/a.js"),
    ("go test ./src", "src/a.go"),
    ('sh -c "$CHECK"', "a.sh"),
    ("ruff check .", "a.py"),
    ("node ./mcp/server", "mcp/README.md"),
    ("uvx mcp-server-fetch", "pyproject.toml"),
    ("ruff check src", "package.json"),
    ("npx prettier --write ./src/*.js", "src/a.js"),
    ("go test ./...", "src/a.go"),
]


@pytest.mark.parametrize(
    ("command", "path", "is_free"), [*((*one, False) for one in STARTED), *((*one, True) for one in FREE)]
)
def test_a_started_file_is_known_by_whatever_way_its_command_names_it(
    command: str, path: str, is_free: bool, tmp_path: Path
) -> None:
    project = tmp_path / "tools" / "src" / "tests"
    (project / path).parent.mkdir(parents=True)
    place = project / path
    assert Started([command], project).has(place) is not is_free
    assert Started([shlex.join(["sh", "-c", command])], project).has(place) is not is_free
    assert not Started([command], project).has(project / "docs" / "index.md")


@pytest.mark.parametrize("command", ["node .", "npx .", "go run .", "node $CLAUDE_PROJECT_DIR"])
def test_all_of_a_folder_that_is_run_is_started(command: str, project: Path) -> None:
    assert Started([command], project).has(project / "src" / "index.js")
    assert not Started([f"cd web && {command}"], project).has(project / "src" / "index.js")
    assert Started([f"cd web && {command}"], project).has(project / "web" / "src" / "index.js")


def test_a_command_that_is_too_long_to_be_read_may_start_anything(project: Path) -> None:
    assert Started(["true " * 10_000], project).has(project / "src" / "a.py")
    assert not Started(["true " * 1_000], project).has(project / "src" / "a.py")


def test_a_started_folder_is_known_where_its_link_leads(project: Path) -> None:
    (project / "src" / "real").mkdir()
    (project / "mcp").symlink_to("src/real")
    started = Started(["node ./mcp"], project)
    assert started.has(project / "src" / "real" / "index.js")
    assert not started.has(project / "src" / "a.py")


def test_worktrees_of_the_cli_are_worked_in(project: Path) -> None:
    judge = Judge(["Write"], project, person=True)
    assert decide(judge, "Write", {"file_path": ".claude/worktrees/one/src/a.py"}) == "allow"
    for path in (".claude/worktrees/one/.git", ".claude/worktrees/one/.claude/x", ".claude/settings.json"):
        assert decide(judge, "Write", {"file_path": path}) == "ask"


def test_a_folder_of_settings_is_none_to_begin_in() -> None:
    settings = Path.home() / ".config"
    settings.mkdir(exist_ok=True)
    for person, refused in ((True, "ask"), (False, "deny")):
        judge = Judge(["Write", "Read"], settings, person=person)
        assert decide(judge, "Write", {"file_path": "fish/config.fish"}) == refused
        assert decide(judge, "Read", {"file_path": "gh/hosts.yml"}) == refused
        assert decide(judge, "Write", {"file_path": "htop/notes.txt"}) == "allow"


def test_folders_that_were_moved_are_protected(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_CONFIG_DIR", str(project / "settings"))
    assert decide(Judge(["Write"], project, person=True), "Write", {"file_path": "settings/agents/x.py"}) == "ask"


def test_where_links_cannot_be_followed_is_asked_about_and_keeps_nothing_else_from_being_judged(tmp_path: Path) -> None:
    (tmp_path / "closed").symlink_to("/proc/1/root/etc")
    judge = Judge(["Read", "Bash", "Write"], tmp_path, person=True)
    for path in ("/proc/1/root/etc/passwd", "/proc/1/cwd/x", "closed/passwd"):
        assert judge.judge("Read", {"file_path": path}).decision == "ask"
        assert judge.judge("Bash", {"command": f"cat {path}"}).decision == "ask"
        assert judge.judge("Write", {"file_path": path, "content": ""}).decision == "ask"
        assert not judge.may_be_reread(str(tmp_path / path))
    lead(tmp_path / "many", "end", 1_000)  # each look at all of them takes a third of a second
    judge = Judge(["Read", "Bash", "Write"], tmp_path, person=True)
    assert judge.judge("Read", {"file_path": "many/l999"}).decision == "allow", "no system opens it"
    assert judge.judge("Bash", {"command": "cat a.txt"}).decision == "allow"

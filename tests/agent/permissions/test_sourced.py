"""What start-up files of shells name in a project counts, and nothing does in others; `tests/attacks` has the ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash, decide
from tests.attacks.start_up import OH_MY_ZSH
from tests.support.cases import each

DISTRIBUTION = {
    ".profile": (
        'if [ -n "$BASH_VERSION" ]; then\n    if [ -f "$HOME/.bashrc" ]; then\n\t. "$HOME/.bashrc"\n    fi\nfi\n'
        'if [ -d "$HOME/bin" ] ; then\n    PATH="$HOME/bin:$PATH"\nfi\n'
        'if [ -d "$HOME/.local/bin" ] ; then\n    PATH="$HOME/.local/bin:$PATH"\nfi\n. "$HOME/.cargo/env"\n'
    ),
    ".bashrc": (
        "# see /usr/share/doc/bash/examples/startup-files (in the package bash-doc) for examples\n"
        "case $- in\n    *i*) ;;\n      *) return;;\nesac\nHISTSIZE=1000\n"
        '[ -x /usr/bin/lesspipe ] && eval "$(SHELL=/bin/sh lesspipe)"\n'
        'if [ -z "${debian_chroot:-}" ] && [ -r /etc/debian_chroot ]; then\n'
        "    debian_chroot=$(cat /etc/debian_chroot)\nfi\n"
        "PS1='${debian_chroot:+($debian_chroot)}\\u@\\h:\\w\\$ '\n"
        'test -r ~/.dircolors && eval "$(dircolors -b ~/.dircolors)" || eval "$(dircolors -b)"\n'
        "if [ -f ~/.bash_aliases ]; then\n    . ~/.bash_aliases\nfi\n"
        "if ! shopt -oq posix; then\n  . /usr/share/bash-completion/bash_completion\nfi\n"
        'export NVM_DIR="$HOME/.nvm"\n[ -s "$NVM_DIR/nvm.sh" ] && \\. "$NVM_DIR/nvm.sh"\n'
        'eval "$(direnv hook bash)"\nexport PROJECTS=~/src CDPATH=.:~/src\ncd "$OLDPWD" 2>/dev/null; echo "$PWD/x"\n'
        'for file in ~/.{path,exports,extra}; do [ -r "$file" ] && source "$file"; done\n'
    ),
    ".nvm/nvm.sh": (
        'nvm_find_up() {\n  local path_\n  path_="${PWD}"\n'
        '  while [ "${path_}" != "" ] && [ ! -f "${path_}/${1-}" ]; do\n'
        '    path_=${path_%/*}\n  done\n}\nnvm_ls() { ls -1 "$NVM_DIR/versions/node/$1/bin" "${HOME}/$2"; }\n'
        'nvm_rc_version() { NVMRC="$(nvm_find_up .nvmrc)/.nvmrc"; . "$1/init.sh"; }\n'
        'NVM_SCRIPT_SOURCE="$_"\nexport NVM_DIR="$(dirname "${BASH_SOURCE[0]:-$0}")"\n'
        "command curl https://raw.githubusercontent.com/nvm-sh/nvm/$v/install.sh\n"
    ),
    ".cargo/env": 'case :${PATH}: in\n *:"$HOME/.cargo/bin":*) ;;\n *) export PATH="$HOME/.cargo/bin:$PATH";;\nesac\n',
    **OH_MY_ZSH,
}
OF_SHELLS = ("run.sh", "tools/env.zsh", ".aliases", "init.sh", "bin/start", ".nvmrc", "x.plugin.zsh", "shell/rc")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def asked_about(cwd: Path, files: tuple[str, ...] = OF_SHELLS) -> list[str]:
    judge = Judge(["Write", "Bash"], cwd, person=True)
    return [file for file in files if decide(judge, "Write", {"file_path": file}) != "allow"]


@pytest.mark.parametrize("where", ["src/project", "project"])
def test_the_start_up_files_of_a_distribution_make_nothing_count(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Path.home() / where
    (project / "bin").mkdir(parents=True)
    for path, text in DISTRIBUTION.items():
        write(Path.home() / path, text)
    # As whoever starts Maverick in a project has it, an environment of Python's among it.
    monkeypatch.setenv("PWD", str(project))
    monkeypatch.setenv("OLDPWD", str(project))
    monkeypatch.setenv("VIRTUAL_ENV", str(project / ".venv"))
    monkeypatch.setenv("PATH", f"{project}/.venv/bin:/usr/bin:/bin")
    assert asked_about(project) == []


def test_a_project_beside_one_that_is_named_has_nothing_that_counts(project: Path) -> None:
    write(Path.home() / ".bashrc", f". {project}-2/x.sh\nD={project.parent}/other; . $D/x.sh\n")
    assert asked_about(project) == []


def test_in_a_home_directory_the_folders_count_that_are_named() -> None:
    (Path.home() / "tools").mkdir()
    write(Path.home() / ".bashrc", 'PATH="$HOME/bin:$PATH"; for d in ~/tools; do . $d/a.sh; done; . ~/notes/one.txt\n')
    asked = asked_about(Path.home(), ("tools/a.sh", "notes/one.txt", "src/a.sh", "run.sh", "src/Makefile"))
    assert asked == ["tools/a.sh", "notes/one.txt"]


def test_where_a_project_is_named_what_shells_may_read_asks_and_nothing_else(project: Path) -> None:
    write(Path.home() / ".zshrc", f"source {project}/x.zsh\n")
    (project / "program.py").touch(mode=0o755)
    asked = (
        "a.sh",
        "deep/er/b.bash",
        "themes/my.zsh-theme",
        "p/p.plugin.zsh",
        ".env",
        "aliases",
        "program.py",
        "x.zsh",
    )
    free = ("a.py", "b.md", "Makefile", "LICENSE", "README", ".gitignore", "package.json", ".editorconfig", "src/c.ts")
    assert asked_about(project, asked + free) == [*asked]
    judge = Judge(["Bash"], project, person=False)
    assert [decide(judge, "Bash", bash(one)) for one in ("mkdir new", "ls src", "rm a.sh")] == [
        "allow",
        "allow",
        "deny",
    ]


PIECES = [
    "a1",
    "\n",
    "{,",
    "$(",
    "x=",
    "a ",
    "${",
    "${a:-",
    "{a,",
    "set ",
    "for ",
    ")`}",
    "~/",
    "$a",
    "$a/",
    "${(",
    "//",
]


@each("number", range(len(PIECES)))
def test_a_start_up_file_of_any_kind_is_read_once_and_not_once_for_each_letter(number: int, project: Path) -> None:
    write(Path.home() / ".bashrc", f"{PIECES[number] * 40_000}/\n. {project}/shell/last.sh\n")
    assert decide(Judge(["Write"], project, person=False), "Write", {"file_path": "shell/last.sh"}) == "deny"


def test_variables_that_hold_each_other_come_to_an_end(project: Path) -> None:
    chain = "".join(f"v{at}=$v{at + 1}$v{at + 1}/$v{at + 2}\n" for at in range(200))
    loop = "a=$b/$c; b=$a/$c; c=$a$b\n"
    many = "".join(f"m=/m{at}\n" for at in range(100))
    write(Path.home() / ".bashrc", f"{chain}{loop}{many}. $v0/$a/$m/$m/$m/$m\n. {project}/shell/last.sh\n")
    assert decide(Judge(["Write"], project, person=False), "Write", {"file_path": "shell/last.sh"}) == "deny"


def test_many_unknown_parts_are_compared_at_once(project: Path) -> None:
    write(Path.home() / ".bashrc", f". {project.parent}/$a-$b-$c-$d-$e-$f-$g-$h-$i/x.txt\n")
    path = f"{'-' * 200}/y.txt"
    assert decide(Judge(["Write"], project, person=False), "Write", {"file_path": f"z{path}"}) == "allow"


def test_start_up_files_that_cannot_be_read_are_passed_over(project: Path) -> None:
    (Path.home() / ".bashrc").mkdir()
    (Path.home() / ".zshrc").symlink_to("nowhere")
    write(Path.home() / ".profile", "\0 /" + "x" * 5_000 + "\n. /no/such/file\n")
    assert decide(Judge(["Write"], project, person=False), "Write", {"file_path": "src/a.py"}) == "allow"

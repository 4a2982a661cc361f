"""Repositories whose settings name programs, each of which leaves a mark when it is run."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HOOKS = (
    "applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change "
    "post-merge post-rewrite pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase "
    "prepare-commit-msg push-to-checkout reference-transaction sendemail-validate update"
).split()

STATUS = ("status", "--short")
DIFF = ("diff",)
LISTING = ("ls-files", "-co", "--exclude-standard")


@dataclass
class Ground:
    """A project that is looked at, and the folder in which marks are left."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict)
    """What the person's shell has set."""
    looked_at: Path = field(init=False)
    mark: str = "ran"
    """What the next programs are called, and their marks."""

    def __post_init__(self) -> None:
        self.project = self.root / "project"
        self.marks = self.root / "marks"
        self.looked_at = self.project
        self.marks.mkdir(parents=True)

    def program(self, name: str | None = None) -> str:
        """The path of a program that leaves a mark."""
        name = name or self.mark
        path = self.root / "programs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n: > {shlex.quote(str(self.marks / name))}\n")
        path.chmod(0o755)
        return str(path)

    def config(self, text: str, file: str = ".git/config") -> None:
        """Add to a configuration of the repository; `{run}` is the program."""
        with (self.project / file).open("a") as target:
            target.write(text.replace("{run}", self.program()) + "\n")

    def write(self, path: str, text: str) -> Path:
        """A file of the project."""
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def hooks(self, folder: Path) -> None:
        """Every hook there is."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in HOOKS:
            shutil.copy(self.program(), folder / name)

    def git(self, *arguments: str, input: bytes | None = None) -> str:
        """Git to lay the trap with, without anything of whoever runs the tests."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        variables |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        line = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
        done = subprocess.run(line, cwd=self.project, env=variables, input=input, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def left(self) -> list[str]:
        """The marks."""
        return sorted(path.name for path in self.marks.iterdir())


@dataclass(frozen=True)
class Trap:
    """One way to have git run something."""

    id: str
    set: Callable[[Ground], None]
    plain: tuple[str, ...] = ()
    """A command with which plain git falls into it; empty if none that only reads does."""
    is_told: bool = True
    """Whether the picker has something to tell nevertheless."""
    on_terminal: bool = False
    """Whether plain git falls into it on a terminal only."""
    is_named: bool | None = None
    """Whether it is named as a danger to commands that only read; left out, it is if plain git falls into it."""


def make_base(folder: Path) -> None:
    """A repository with a few files, one of them changed, which all traps begin with."""
    ground = Ground(folder)
    ground.project.mkdir()
    ground.git("init", "--quiet", "--template=", "--initial-branch=main")
    ground.write("a.txt", "one\n")
    ground.write("src/b.txt", "two\n")
    ground.write(".gitignore", "*.log\n")
    ground.git("add", "--all")
    ground.git("commit", "--quiet", "--message", "Begin")
    ground.write("a.txt", "ONE\n")


def lay(trap: Trap, base: Path, root: Path) -> Ground:
    """A copy of the base with the trap in it; a copied file has to be looked at, for its times are other ones."""
    root.mkdir()
    shutil.copytree(base / "project", root / "project")
    ground = Ground(root)
    trap.set(ground)
    for mark in ground.marks.iterdir():  # of a trap that was laid after another
        mark.unlink()
    return ground


def fall_into(trap: Trap, ground: Ground) -> None:
    """Run plain git, as somebody would who suspects nothing."""
    if not trap.on_terminal:
        _run_plainly(trap, ground, subprocess.DEVNULL)
        return
    terminal, inside = os.openpty()
    try:
        _run_plainly(trap, ground, inside)
    finally:
        os.close(terminal)
        os.close(inside)


def _run_plainly(trap: Trap, ground: Ground, stream: int) -> None:
    line, variables = f"git {shlex.join(trap.plain)}", {**os.environ, **ground.variables}
    subprocess.run(
        ["sh", "-c", line],
        cwd=ground.looked_at,
        env=variables,
        stdin=stream,
        stdout=stream,
        stderr=stream,
        check=False,  # what it says does not matter, only what it leaves
    )


# -- the traps -------------------------------------------------------------------------------------------------------


def _config(text: str, attributes: str = "") -> Callable[[Ground], None]:
    def place(ground: Ground) -> None:
        ground.config(text)
        if attributes:
            ground.write(".gitattributes", f"{attributes}\n")

    return place


def _variable(name: str, value: str = "{run}") -> Callable[[Ground], None]:
    def place(ground: Ground) -> None:
        ground.variables[name] = value.replace("{run}", ground.program()).replace("{marks}", str(ground.marks))

    return place


def _attributes_elsewhere(ground: Ground) -> None:
    ground.config('[filter "x"]\n clean = {run}\n[core]\n attributesFile = ' + str(ground.root / "attributes"))
    (ground.root / "attributes").write_text("* filter=x\n")


def _attributes_inside(ground: Ground) -> None:
    ground.config('[filter "x"]\n clean = {run}')
    ground.write(".git/info/attributes", "* filter=x\n")


def _included(ground: Ground) -> None:
    ground.config("[include]\n path = ../more.gitconfig")
    ground.write("more.gitconfig", f"[core]\n fsmonitor = {ground.program()}\n")


def _included_if(condition: str) -> Callable[[Ground], None]:
    def place(ground: Ground) -> None:
        ground.config(f'[includeIf "{condition}"]\n path = more')
        ground.write(".git/more", f'[filter "x"]\n clean = {ground.program()}\n required\n')
        ground.write(".gitattributes", "* filter=x\n")

    return place


def _worktree_config(ground: Ground) -> None:
    ground.config("[core]\n repositoryformatversion = 1\n[extensions]\n worktreeConfig = true")
    ground.config("[core]\n fsmonitor = {run}", ".git/config.worktree")


def _hooks(folder: str) -> Callable[[Ground], None]:
    def place(ground: Ground) -> None:
        ground.hooks(ground.project / folder)
        if folder != ".git/hooks":
            ground.config(f"[core]\n hooksPath = {folder}")

    return place


def _by_prefix(path: Path) -> str:
    """A path that git alone can spell out: where it was installed, and from there to the top of all folders."""
    return f"%(prefix){'/..' * 9}{path}"


def _hooks_by_prefix(ground: Ground) -> None:
    ground.hooks(ground.project / ".husky")
    ground.config(f"[core]\n hooksPath = {_by_prefix(ground.project / '.husky')}")


def _included_by_prefix(ground: Ground) -> None:
    ground.config(f'[includeIf "onbranch:main"]\n path = {_by_prefix(ground.project / ".git" / "more")}')
    ground.config("[core]\n fsmonitor = {run}", ".git/more")


def _signed(text: str, signature: str) -> Callable[[Ground], None]:
    """A commit that carries a signature, so that showing it asks a program whether it is good."""

    def place(ground: Ground) -> None:
        head, _, message = ground.git("cat-file", "commit", "HEAD").partition("\n\n")
        body = f"-----BEGIN {signature}-----\n \n AAAA\n -----END {signature}-----"
        commit = f"{head}\ngpgsig {body}\n\n{message}\n"
        signed = ground.git("hash-object", "-t", "commit", "-w", "--stdin", input=commit.encode())
        ground.git("update-ref", "HEAD", signed)
        ground.config(text)

    return place


PROMISOR = '[remote "origin"]\n promisor = true'


def _partial(text: str, by: str = PROMISOR, address: str = "") -> Callable[[Ground], None]:
    """A partial clone that lacks the object of a file that was left out: git fetches it when it wants to read it."""

    def place(ground: Ground) -> None:
        ground.git("update-index", "--skip-worktree", ".gitignore")
        blob = ground.git("rev-parse", "HEAD:.gitignore")
        (ground.project / ".gitignore").unlink()
        (ground.project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        ground.config(f"{by}\n{text}".replace("{other}", str(ground.root / "other")))
        if address:
            ground.write(".git/remotes/origin", f"URL: {address}\n".replace("{run}", ground.program()))

    return place


def _merged_again(ground: Ground) -> None:
    """A merge that is shown by merging once more, with a program of the repository's."""
    ground.write(".gitattributes", "*.txt merge=x\n")
    tip = ground.git("rev-parse", "HEAD")
    for branch, line in (("side", "two"), ("main", "three")):
        ground.git("checkout", "--quiet", "--force", "-B", branch, tip)
        ground.write("a.txt", f"{line}\n")
        ground.git("commit", "--quiet", "--all", "--message", line)
    ground.git("merge", "--quiet", "--strategy=ours", "side")
    ground.write("a.txt", "ONE\n")
    ground.config('[log]\n diffMerges = remerge\n[merge "x"]\n driver = {run}')


def _helper_in_path(ground: Ground) -> None:
    _partial('[remote "origin"]\n vcs = trap\n url = x')(ground)
    program = Path(ground.program("git-remote-trap"))
    ground.variables["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"


def _other_references(ground: Ground) -> None:
    shutil.copytree(ground.project / ".git", ground.root / "other" / ".git")
    ground.config("[core]\n alternateRefsCommand = {run}")
    ground.write(".git/objects/info/alternates", f"{ground.root / 'other' / '.git' / 'objects'}\n")


def _submodule(ground: Ground) -> None:
    shutil.copytree(ground.project, ground.root / "inner")
    shutil.move(ground.root / "inner", ground.project / "inner")
    with (ground.project / "inner" / ".git" / "config").open("a") as config:
        config.write(f"[core]\n fsmonitor = {ground.program()}\n")
    commit = ground.git("rev-parse", "HEAD")
    ground.git("update-index", "--add", "--cacheinfo", f"160000,{commit},inner")
    ground.config('[submodule "inner"]\n ignore = none\n update = !{run}\n[submodule]\n recurse = true')


def _submodule_of_the_past(setting: str) -> Callable[[Ground], None]:
    """Commits that have a submodule where the index has a link. It lacks their commits, and says whom to ask."""

    def place(ground: Ground) -> None:
        ground.git("init", "--quiet", "--template=", "inner")
        ground.config(EXTENSION, "inner/.git/config")
        ground.config('[remote "origin"]\n url = ssh://example.org/x\n[core]\n sshCommand = {run}', "inner/.git/config")
        tip = ground.git("rev-parse", "HEAD")
        begun = _with_submodule(ground, "1", tip)
        one, other = (_with_submodule(ground, number, begun) for number in "23")
        ground.git("update-ref", "refs/heads/main", _with_submodule(ground, "2", one, other))
        blob = ground.git("hash-object", "-w", "--stdin", input=b"a.txt")
        ground.git("update-index", "--add", "--cacheinfo", f"120000,{blob},inner")
        ground.config(setting)

    return place


def _with_submodule(ground: Ground, number: str, *parents: str) -> str:
    """A commit in which the submodule is at a commit of this number."""
    tree = ground.git("ls-tree", "HEAD") + f"\n160000 commit {number * 40}\tinner\n"
    made = ground.git("mktree", "--missing", input=tree.encode())
    return ground.git("commit-tree", made, "-m", number, *(word for parent in parents for word in ("-p", parent)))


def _sparse_index(ground: Ground) -> None:
    """A submodule in a folder that is one entry of the index. Git itself would write one for each file there."""
    commit = ground.git("rev-parse", "HEAD")
    tree = ground.git("mktree", input=f"160000 commit {commit}\tsub\n".encode())
    ground.write("d/x.txt", "three\n")
    ground.git("add", "--all")
    ground.git("commit", "--quiet", "--message", "Add a folder")
    ground.git("sparse-checkout", "set", "--cone", "--sparse-index", "src")
    index, written = ground.project / ".git" / "index", bytes.fromhex(ground.git("rev-parse", "HEAD:d"))
    content = index.read_bytes()[:-20].replace(written, bytes.fromhex(tree))
    index.write_bytes(content + hashlib.sha1(content).digest())
    ground.git("clone", "--quiet", ".", "d/sub")
    with (ground.project / "d" / "sub" / ".git" / "config").open("a") as config:
        config.write(f"[core]\n fsmonitor = {ground.program()}\n")
    ground.write("a.txt", "TWO\n")


def _embedded(ground: Ground) -> None:
    """What a clone can bring along: a folder that is a bare repository, and says that it is none."""
    inner = ground.project / "sub"
    for name in ("objects", "refs"):
        (inner / name).mkdir(parents=True)
        (inner / name / "keep").write_text("")
    ground.write("sub/HEAD", "ref: refs/heads/main\n")
    ground.write(
        "sub/config",
        f"[core]\n repositoryformatversion = 0\n bare = false\n worktree = .\n fsmonitor = {ground.program()}\n",
    )
    ground.git("add", "--all")
    ground.git("commit", "--quiet", "--message", "Bring it along")
    clone = ground.root / "clone"
    ground.git("clone", "--quiet", str(ground.project), str(clone))
    ground.looked_at = clone / "sub"


def _pointing(text: str) -> Callable[[Ground], None]:
    """A repository with a submodule, and a file `.git` that is written as few would write it."""

    def place(ground: Ground) -> None:
        _submodule(ground)
        ground.git("config", "--unset", "submodule.recurse")
        (ground.project / ".git").rename(ground.project / "g")
        ground.write(".gitignore", "g/\n")
        (ground.project / ".git").write_bytes(text.encode())

    return place


def _points_elsewhere(ground: Ground) -> None:
    _config("[core]\n fsmonitor = {run}")(ground)
    (ground.project / ".git").rename(ground.root / "elsewhere")
    ground.write(".git", f"gitdir: {ground.root / 'elsewhere'}\n")


def _works_elsewhere(ground: Ground) -> None:
    other = ground.root / "other"
    other.mkdir()
    ground.config(f"[core]\n fsmonitor = {{run}}\n worktree = {other}")


def _linked_worktree(ground: Ground) -> None:
    ground.git("worktree", "add", "-b", "side", str(ground.root / "side"))
    (ground.root / "side" / "a.txt").write_text("ONE\n")
    _config("[core]\n fsmonitor = {run}")(ground)
    ground.looked_at = ground.root / "side"


def _settings_in_variables(ground: Ground) -> None:
    ground.variables |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor"}
    ground.variables["GIT_CONFIG_VALUE_0"] = ground.program()


def _home(text: str, attributes: str = "", whose: str = "GLOBAL") -> Callable[[Ground], None]:
    """In the configuration of the person, which an .envrc moves."""

    def place(ground: Ground) -> None:
        file = ground.root / "gitconfig"
        file.write_text(text.replace("{run}", ground.program()).replace("{marks}", str(ground.marks)))
        ground.variables[f"GIT_CONFIG_{whose}"] = str(file)
        if attributes:
            ground.write(".gitattributes", f"{attributes}\n")

    return place


def _machine(text: str, attributes: str = "") -> Callable[[Ground], None]:
    """In the configuration of the machine."""
    return _home(text, attributes, "SYSTEM")


def _other_repository(ground: Ground) -> None:
    hostile = ground.root / "hostile"
    shutil.copytree(ground.project / ".git", hostile)
    with (hostile / "config").open("a") as config:
        config.write(f"[core]\n fsmonitor = {ground.program()}\n")
    ground.variables |= {"GIT_DIR": str(hostile), "GIT_WORK_TREE": str(ground.project)}


def _own_git(*path: str) -> Callable[[Ground], None]:
    """A program of the project that is called git, and a PATH that leads to it."""

    def place(ground: Ground) -> None:
        shutil.copy(ground.program(), ground.project / "git")
        places = [part.replace("{project}", str(ground.project)) for part in path]
        ground.variables["PATH"] = os.pathsep.join([*places, os.environ["PATH"]])

    return place


def _parts(ground: Ground) -> None:
    """Git's own parts, in a folder that a variable names."""
    folder = ground.root / "parts"
    folder.mkdir()
    for name in ("git", "git-status", "git-ls-files", "git-config", "git-trap"):
        shutil.copy(ground.program(), folder / name)
    ground.variables["GIT_EXEC_PATH"] = str(folder)


def _simple() -> Iterator[Trap]:
    """Settings that name programs for commands that change or send something: nothing of ours is one of them."""
    for number, text in enumerate(
        """
        core.editor sequence.editor core.sshCommand core.askPass core.gitProxy interactive.diffFilter
        merge.x.driver merge.tool mergetool.x.cmd mergetool.x.path diff.tool difftool.x.cmd difftool.x.path
        diff.guitool guitool.x.cmd gpg.ssh.defaultKeyCommand credential.helper credential.https://example.org.helper
        remote.origin.uploadpack remote.origin.receivepack remote.origin.vcs remote.origin.proxy
        uploadpack.packObjectsHook receive.procReceiveRefs receive.certNonceSeed trailer.x.command trailer.x.cmd
        man.x.cmd man.viewer browser.x.cmd web.browser help.browser instaweb.httpd instaweb.browser init.templateDir
        tar.x.command sendemail.smtpServer sendemail.sendmailCmd sendemail.toCmd sendemail.ccCmd
        rebase.instructionFormat submodule.x.update http.proxy ssh.variant column.ui
        """.split()
    ):
        section, _, name = text.partition(".")
        subsection, _, name = name.rpartition(".")
        head = f'[{section} "{subsection}"]' if subsection else f"[{section}]"
        value = "!{run}" if name == "update" else "{run}"
        lines = f"{head}\n {name} = {value}" if number else f"{head}\n {name} = {value}\n[commit]\n gpgSign = true"
        yield Trap(text, _config(lines), is_told=text != "column.ui", is_named=False)


FILTER = '[filter "x"]\n '
EXTENSION = "[core]\n repositoryformatversion = 1\n[extensions]\n partialClone = origin"
PROMISED = '[remote "origin"]\n url = {other}\n '

TRAPS = [
    Trap("core.fsmonitor", _config("[core]\n fsmonitor = {run}"), STATUS),
    Trap("core.fsmonitor v1", _config("[core]\n fsmonitor = {run}\n fsmonitorHookVersion = 1"), STATUS),
    Trap("core.fsmonitor v2", _config("[core]\n fsmonitor = {run}\n fsmonitorHookVersion = 2"), LISTING),
    Trap("core.hooksPath", _hooks(".husky"), STATUS),
    Trap("core.hooksPath by prefix", _hooks_by_prefix, STATUS, is_told=False),
    Trap("hooks", _hooks(".git/hooks"), DIFF),
    Trap("hook.x.command", _config('[hook "x"]\n command = {run}\n event = post-index-change'), is_named=True),
    Trap("filter.x.clean", _config(FILTER + "clean = {run}", "* filter=x"), STATUS),
    Trap("filter.x.process", _config(FILTER + "process = {run}", "* filter=x"), STATUS),
    Trap("filter.x.required", _config(FILTER + "clean = {run}\n required = true", "* filter=x"), STATUS),
    Trap("filter.x.smudge", _config(FILTER + "smudge = {run}", "* filter=x"), ("cat-file", "--filters", "HEAD:a.txt")),
    Trap(
        "filter by name", _config('[filter "A.b=c\\"d\\\\"]\n clean = {run}\n required', '* filter=A.b=c"d\\'), STATUS
    ),
    Trap(
        "filter twice", _config(FILTER + 'clean = {run}\n clean =\n[FILTER "x"]\n CLEAN = {run}', "* filter=x"), STATUS
    ),
    Trap("core.attributesFile", _attributes_elsewhere, STATUS),
    Trap("info/attributes", _attributes_inside, DIFF),
    Trap("include.path", _included, STATUS),
    Trap("includeIf gitdir", _included_if("gitdir:**"), STATUS),
    Trap("includeIf onbranch", _included_if("onbranch:main"), STATUS),
    Trap("includeIf by prefix", _included_by_prefix, STATUS, is_told=False),
    Trap("config.worktree", _worktree_config, STATUS),
    Trap("diff.external", _config("[diff]\n external = {run}"), DIFF),
    Trap("diff.x.command", _config('[diff "x"]\n command = {run}', "* diff=x"), DIFF),
    Trap("diff.x.textconv", _config('[diff "x"]\n textconv = {run}\n cachetextconv = true', "* diff=x"), DIFF),
    Trap("core.pager", _config("[core]\n pager = {run}"), ("log",), on_terminal=True),
    Trap("pager.status", _config("[pager]\n status = {run}"), STATUS, on_terminal=True),
    Trap("pager.ls-files", _config("[pager]\n ls-files = {run}\n config = {run}"), LISTING, on_terminal=True),
    Trap(
        "gpg.program",
        _signed("[gpg]\n program = {run}\n[log]\n showSignature = true", "PGP SIGNATURE"),
        ("log",),
    ),
    Trap(
        "gpg.ssh.program",
        _signed(
            '[gpg "ssh"]\n program = {run}\n allowedSignersFile = /dev/null\n[log]\n showSignature', "SSH SIGNATURE"
        ),
        ("show",),
    ),
    Trap("gpg.x509.program", _signed('[gpg "x509"]\n program = {run}', "SIGNED MESSAGE"), ("log", "--show-signature")),
    Trap("remote.x.promisor", _partial(PROMISED + "uploadpack = {run}"), LISTING),
    Trap("extensions.partialClone", _partial(PROMISED + "uploadpack = {run}", EXTENSION), LISTING),
    Trap(
        "core.sshCommand of a partial clone",
        _partial('[remote "origin"]\n url = ssh://example.org/x\n[core]\n sshCommand = {run}'),
        LISTING,
    ),
    Trap(
        "core.gitProxy of a partial clone",
        _partial('[remote "origin"]\n url = git://example.org/x\n[core]\n gitProxy = {run}'),
        LISTING,
    ),
    Trap(
        "protocol.ext.allow",
        _partial('[remote "origin"]\n url = ext::{run}\n[protocol "ext"]\n allow = always'),
        LISTING,
    ),
    Trap(
        "url.x.insteadOf",
        _partial(
            '[remote "origin"]\n url = https://example.org/x\n[url "ext::{run} "]\n insteadOf = https:\n'
            "[protocol]\n allow = always"
        ),
        LISTING,
    ),
    Trap(
        "remote.x.partialCloneFilter",
        _partial(
            '[remote "origin"]\n url = ssh://example.org/x\n[core]\n sshCommand = {run}',
            '[remote "origin"]\n partialCloneFilter =',
        ),
        LISTING,
    ),
    Trap(".git/remotes", _partial('[protocol "ext"]\n allow = always', address="ext::{run}"), LISTING),
    Trap(
        "url.x.insteadOf of half a name",
        _partial(
            '[remote "origin"]\n url = "foo:{run}"\n[url "ext:"]\n insteadOf = foo\n[protocol "ext"]\n allow = always'
        ),
        LISTING,
    ),
    Trap(".git with an end of line as on Windows", _pointing("gitdir: g\r\n"), STATUS),
    Trap(".git with an end of line as on old Macs", _pointing("gitdir: g\r"), STATUS),
    Trap(".git with many ends of lines", _pointing("gitdir: g" + "\n" * 9_000), STATUS),
    Trap("submodule in a sparse index", _sparse_index, STATUS),
    Trap("status.submoduleSummary", _submodule_of_the_past("[status]\n submoduleSummary"), ("status",)),
    Trap("diff.submodule", _submodule_of_the_past("[diff]\n submodule = log"), ("log", "--patch")),
    Trap("log.diffMerges by submodule", _submodule_of_the_past("[log]\n diffMerges = r"), ("show", "-m")),
    Trap("log.diffMerges", _merged_again, ("show", "-m")),
    Trap("remote.x.vcs", _helper_in_path, LISTING),
    Trap(
        "alias.remote-x",
        _partial('[remote "origin"]\n vcs = trap\n url = x\n[alias]\n remote-trap = !{run}'),
        LISTING,
    ),
    Trap("core.alternateRefsCommand", _other_references, ("log", "--alternate-refs")),
    Trap("submodule", _submodule, STATUS),
    Trap("embedded bare repository", _embedded, STATUS, is_told=False, is_named=False),
    Trap(".git file", _points_elsewhere, STATUS),
    Trap("core.worktree", _works_elsewhere, STATUS),
    Trap("linked worktree", _linked_worktree, STATUS),
    Trap("alias", _config("[alias]\n trap = !{run}"), ("trap",)),
    Trap(
        "alias of a command", _config("[alias]\n status = !{run}\n ls-files = !{run}\n config = !{run}"), is_named=True
    ),
    Trap("core.untrackedCache", _config("[core]\n untrackedCache = true\n splitIndex = true"), is_named=False),
    Trap("gc.auto", _config("[gc]\n auto = 1\n[maintenance]\n auto = true"), is_named=False),
    Trap(
        "trace2.x.target", _home("[trace2]\n normalTarget = {marks}/n\n perfTarget = {marks}/p"), STATUS, is_named=False
    ),
    Trap("trace2.eventTarget", _home("[trace2]\n eventTarget = {marks}/e"), STATUS, is_named=False),
    Trap("system core.fsmonitor", _machine("[core]\n fsmonitor = {run}"), STATUS, is_named=False),
    Trap("system filter", _machine('[filter "x"]\n clean = {run}\n required', "* filter=x"), STATUS, is_named=False),
    Trap("system diff.external", _machine("[diff]\n external = {run}"), DIFF, is_named=False),
    Trap(
        "system alias",
        _machine("[alias]\n trap = !{run}\n status = !{run}\n config = !{run}"),
        ("trap",),
        is_named=False,
    ),
    Trap(
        "system trace2",
        _machine("[trace2]\n normalTarget = {marks}/n\n eventTarget = {marks}/e"),
        STATUS,
        is_named=False,
    ),
    Trap("GIT_CONFIG_GLOBAL", _home("[core]\n fsmonitor = {run}"), STATUS, is_named=False),
    Trap("GIT_CONFIG_COUNT", _settings_in_variables, STATUS, is_named=False),
    Trap("GIT_CONFIG_PARAMETERS", _variable("GIT_CONFIG_PARAMETERS", "'core.fsmonitor={run}'"), STATUS, is_named=False),
    Trap("GIT_DIR", _other_repository, STATUS, is_named=False),
    Trap("GIT_EXEC_PATH", _parts, ("trap",), is_named=False),
    Trap("GIT_EXTERNAL_DIFF", _variable("GIT_EXTERNAL_DIFF"), DIFF, is_named=False),
    Trap("GIT_PAGER", _variable("GIT_PAGER"), ("log",), on_terminal=True, is_named=False),
    Trap("PAGER", _variable("PAGER"), ("log",), on_terminal=True, is_named=False),
    Trap("GIT_TRACE", _variable("GIT_TRACE", "{marks}/trace"), STATUS, is_named=False),
    Trap("GIT_TRACE2_EVENT", _variable("GIT_TRACE2_EVENT", "{marks}/event"), STATUS, is_named=False),
    Trap("a point in PATH", _own_git("."), STATUS, is_named=False),
    Trap("nothing in PATH", _own_git(""), STATUS, is_named=False),
    Trap("the project in PATH", _own_git("{project}"), STATUS, is_named=False),
    *_simple(),
]

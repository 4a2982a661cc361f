"""Places that no rule opens: what makes others run something later, and what holds keys.

Writing to them always asks, whatever an agent may use, and reading keys does, too; where nobody can be asked, both are
refused. Names count wherever they stand below the working directory, for a nested repository has a `.git` as well.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from maverick_tui import paths

_RUN_BY_OTHERS = frozenset(
    ".git git~1 .hg .svn .maverick .claude .husky .vscode .idea .devcontainer .config/autostart .config/fish"
    " .config/git .config/systemd .config/environment.d .local/bin library/launchagents".split()
)
_RUN_FILES = frozenset(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout"
    " .cshrc .tcshrc .kshrc .login .logout .inputrc .envrc .gitconfig .gitmodules .mcp.json .claude.json .vimrc .emacs"
    " .tmux.conf .screenrc .xprofile .xsession .xinitrc .pam_environment".split()
)
_KEYS = frozenset(
    ".ssh .gnupg .aws .azure .kube .docker .password-store .terraform.d .databricks .config/gh .config/gcloud"
    " .config/op .config/hub .config/rclone .config/containers .cache/huggingface .local/share/keyrings"
    " library/keychains run/secrets".split()
)
_KEY_FILES = frozenset(
    ".netrc _netrc .git-credentials .pgpass .my.cnf .pypirc .npmrc .yarnrc .yarnrc.yml .credentials.json .claude.json"
    " .vault-token .databrickscfg .boto .s3cfg .dockercfg .cargo/credentials .cargo/credentials.toml .gem/credentials"
    " .m2/settings.xml id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk authorized_keys shadow".split()
)
_ORDINARY_IN_PROJECTS = frozenset({".npmrc", ".yarnrc", ".yarnrc.yml"})
"""They hold keys in a home directory, and only settings elsewhere."""


_STREAMS = frozenset("/dev/null /dev/zero /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/random /dev/urandom".split())


def why_not_to_write(path: str, cwd: Path, here: Path | None = None) -> str:
    """Why writing there asks, whatever the rules say; nothing for an ordinary place. A relative path starts `here`."""
    return next(filter(None, (_keeps_from_writing(place, cwd) for place in _places(path, here or cwd))), "")


def why_not_to_read(path: str, cwd: Path, here: Path | None = None) -> str:
    """Why reading there asks, whatever the rules say; nothing for an ordinary place."""
    return next(filter(None, (_keeps_from_reading(place, cwd) for place in _places(path, here or cwd))), "")


def why_not_to_search(path: str, cwd: Path, here: Path | None = None) -> str:
    """Why searching all that is below a folder asks: a home directory is in it, or keys are kept in it or around it."""
    folder, home = path or ".", home_folder()
    for place in _places(folder, here or cwd):
        if home is not None and home.is_relative_to(place):
            return f"All of {place} would be searched: your home directory, with the keys in it."
        if home is not None and place.is_relative_to(home) and not place.is_relative_to(cwd):
            first = _compared(place.relative_to(home).parts[0])
            if first.startswith(".") or first == "library":
                return f"All of {place} would be searched, and keys may be kept in there."
    return why_not_to_read(folder, cwd, here)


def is_inside(path: str, cwd: Path, here: Path | None = None) -> bool:
    """Whether a path leads into the working directory when its links are followed; the whole disk counts as none."""
    return bool(path) and cwd.parent != cwd and _places(path, here or cwd)[-1].is_relative_to(cwd)


def moved(path: str, here: Path) -> Path | None:
    """Where `cd` leads; None where names and links lead to different places: shells go by names, programs by links."""
    by_name, by_links = _places(path, here)
    return by_links if by_name == by_links else None


def home_folder() -> Path | None:
    """The user's home directory, if there is one."""
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None


def _keeps_from_writing(place: Path, cwd: Path) -> str:
    if reason := _keeps_from_reading(place, cwd):
        return reason
    for folder in (paths.user_config(), paths.user_state(), paths.claude_config()):
        if place.is_relative_to(folder) or place.is_relative_to(folder.resolve()):
            return f"{place} is where Maverick or Claude Code keeps its own settings and agents."
    names = _names(place, cwd)
    if _has(names, _RUN_BY_OTHERS) or (names[-1:] and names[-1] in _RUN_FILES):
        return f"{place} can make other programs run something."
    home = home_folder()
    if home is not None and home.is_relative_to(cwd) and place.is_relative_to(home):
        below = place.relative_to(home).parts
        if below and below[0].startswith("."):
            return f"{place} is among the settings in your home directory."
    return _of_the_kernel(place)


def _keeps_from_reading(place: Path, cwd: Path) -> str:
    names = _names(place, cwd)
    last = {"/".join(names[-1:]), "/".join(names[-2:])} & _KEY_FILES
    is_key_file = bool(last) and (last.isdisjoint(_ORDINARY_IN_PROJECTS) or place.parent == home_folder())
    if _has(names, _KEYS) or is_key_file or place == paths.user_config() / "config.toml":
        return f"{place} is where keys and passwords are kept."
    return _of_the_kernel(place)


def _of_the_kernel(place: Path) -> str:
    is_kernels = place.parts[1:2] in (("proc",), ("sys",), ("dev",)) and place.as_posix() not in _STREAMS
    return f"{place} is no ordinary file." if is_kernels else ""


def _has(names: list[str], places: frozenset[str]) -> bool:
    joined = f"/{'/'.join(names)}/"
    return any(f"/{place}/" in joined for place in places)


def _names(place: Path, cwd: Path) -> list[str]:
    """The names on the way, below the working directory if it is in there, as a forgiving file system compares them."""
    parts = place.relative_to(cwd).parts if place.is_relative_to(cwd) else place.parts[1:]
    return [_compared(name) for part in parts for name in part.split("\\")]


def _compared(name: str) -> str:
    """Without case, invisible characters, and what Windows cuts off at the end."""
    visible = "".join(one for one in unicodedata.normalize("NFC", name) if unicodedata.category(one) != "Cf")
    return visible.casefold().rstrip(". ") or name


def _places(path: str, here: Path) -> list[Path]:
    """Where a path leads: by its name, and with its links followed. Both count."""
    text = path.replace("\0", "").encode(errors="replace").decode()  # half a character is part of no name
    if text.startswith("~"):
        text = os.path.expanduser(text)  # noqa: PTH111 - Path.expanduser() raises for a user who does not exist
    whole = os.path.join(here, text)  # noqa: PTH118 - pathlib would drop a trailing slash, and a link with it
    return [Path(os.path.normpath(whole)), Path(os.path.realpath(whole))]

"""Names of places that make others run something: a place that is missing is added here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from maverick_tui.masking.key_files import KEYS, compared_names, copied, way_of

_RUN_BY_OTHERS = frozenset(
    ".git git~1 .hg .svn .jj .bzr .maverick .claude .codex .gemini .cursor .githooks .husky .vscode .idea .zed .fleet"
    " .run .devcontainer .windsurf .roo .kiro .amazonq .opencode .continue .helix .swiftpm .mvn .mise mise/config.toml"
    " .nova .theia .bsp .trae .clinerules .qwen .bundle .direnv .vim .nvim .emacs.d .ipython .jupyter .vs .junie .goose"
    " .yarn/releases .yarn/plugins .config/mise .cargo/config sitecustomize usercustomize"
    " .cargo/config.toml .sl .factory .augment .externaltoolbuilders tools/bazel"
    " .kilocode .amp .openhands .vibe .grok .iflow .qoder .rovodev .codebuddy .agents"
    " .config/autostart .config/fish .config/git .config/systemd .config/environment.d .local/bin"
    " library/launchagents .local/share/systemd .local/share/dbus-1 .local/share/bash-completion .local/share/fish"
    " .config/plasma-workspace .config/nushell .config/xonsh .config/elvish .config/powershell .config/tmux"
    " .config/nvim .config/vim .config/emacs .config/direnv .config/zsh .config/bash .config/kitty .config/wezterm"
    " .config/i3 .config/sway .config/hypr .config/lazygit .config/gdb .config/code/user .config/cursor/user"
    " .config/vscodium/user .config/zed .config/awesome .config/bspwm .config/sxhkd .config/qtile .config/waybar"
    " .config/yazi .config/starship.toml .local/share/applications .github/hooks .github/mcp.json"
    " .copilot .pi/extensions .lefthook .git_hooks .pijul _darcs .hammerspoon .julia/config .gradle/init.gradle"
    " .gradle/init.d".split()
)
_FIRST = frozenset(place.partition("/")[0] for place in _RUN_BY_OTHERS)
_RUN_FILES = frozenset(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout"
    " .cshrc .tcshrc .kshrc .login .logout .inputrc .envrc .gitconfig .gitmodules .mcp.json .claude.json .vimrc .exrc"
    " .nvim.lua .emacs .dir-locals.el .gdbinit .lldbinit .tmux.conf .screenrc .xprofile .xsession .xinitrc"
    " .pam_environment .devcontainer.json mise.toml .mise.toml mise.local.toml .mise.local.toml .nvimrc"
    " .pre-commit-config.yaml .pre-commit-config.yml .simple-git-hooks.json .overcommit.yml .tool-versions .yarnrc"
    " .yarnrc.yml .rprofile .octaverc .ghci .bazelrc .npmrc .pnpmfile.cjs .dir-locals-2.el .pdbrc .irbrc"
    " .pryrc .rspec .lvimrc opencode.json opencode.jsonc .crush.json crush.json"
    " pyvenv.cfg .pnp.cjs .vimrc.local .local.vimrc _vimrc"
    " .neoconf.json .ycm_extra_conf.py ipython_config.py .renviron .autoenv.zsh .gdbearlyinit .lldbinit-xcode"
    " prek.toml .tmuxinator.yaml hk.pkl captainhook.json .psqlrc .sqliterc .iex.exs .latexmkrc .aider.conf.yml .rvmrc"
    " .ocamlinit .utoprc .pylintrc .autoenv flake.nix shell.nix devenv.nix devbox.json"
    " .rbenv-vars .tmuxinator.yml .tmuxp.yaml sitecustomize.py usercustomize.py .xonshrc .xsessionrc .direnvrc"
    " .wezterm.lua .tigrc .wgetrc .curlrc .rusty-hook.toml grumphp.yml .lite_project.lua .bazeliskrc"
    " .autoenv_leave.zsh rust-toolchain rust-toolchain.toml jupyter_server_config.py jupyter_notebook_config.py"
    " jupyter_lab_config.py latexmkrc .spacemacs .erlang .sbclrc .eclrc .tclshrc .wishrc .lessfilter pylintrc"
    " .luarc.json .luarc.jsonc .bazelversion rust-analyzer.toml omnisharp.json .prototools .actrc".split()
)
_RUN_NAMES = re.compile(
    r"\.?lefthook(?:-local)?\.(?:ya?ml|toml|jsonc?)|.*\.(?:code-workspace|sublime-project)"
    r"|\.?(?:lintstaged|lint-staged|nano-staged|commitlint|simple-git-hooks)(?:rc)?(?:\.config)?(?:\.\w+)?"
    r"|\.envrc\..+|\.?mise\..+\.toml|\.(?:bash|zsh)rc\..+|\.bash_(?!history)\w+|\.gitconfig[.-].+|\.huskyrc(?:\.\w+)?"
)
MEMORY_FILES = ("CLAUDE.md", "CLAUDE.local.md")
"""What Claude Code takes in by itself from any folder, with all that it names, where the person lets it."""
_OF_MEMORY = frozenset(map(str.casefold, MEMORY_FILES))
_LAST = frozenset(place.rpartition("/")[2] for place in _RUN_BY_OTHERS | _RUN_FILES | KEYS | _OF_MEMORY)
_WAYS = [way for way in (place.split("/") for place in sorted(_RUN_BY_OTHERS | KEYS)) if len(way) > 1]
_LONGEST_WAY = max(map(len, _WAYS))
_BEGUN: dict[tuple[str, ...], list[str]] = {}
"""By each beginning of such a way, what is left of it."""
for _way in _WAYS:
    for _at in range(1, len(_way)):
        _BEGUN.setdefault(tuple(_way[:_at]), []).append("/".join(_way[_at:]))
_INSTALLED = frozenset("site-packages dist-packages node_modules .tox .nox".split())


def is_run_by_others(names: list[str]) -> bool:
    """Whether what is there can make other programs run something."""
    last = names[-1] if names else ""
    if last in _RUN_FILES or _RUN_NAMES.fullmatch(last) is not None:
        return True
    way = way_of(names)
    return not _FIRST.isdisjoint(names) and any(f"/{place}/" in way for place in _RUN_BY_OTHERS)


def is_of_memory(names: list[str]) -> bool:
    """Whether Claude Code takes in by itself what is there."""
    return bool(names) and names[-1] in _OF_MEMORY


@lru_cache(maxsize=4096)
def may_matter(name: str) -> bool:
    """Whether a name may be the last of a way that is known: of the thousands in a folder hardly any is."""
    names = compared_names([name])
    is_listed = not _LAST.isdisjoint((*names, *map(copied, names)))
    return is_listed or len(names) > 1 or _RUN_NAMES.fullmatch(names[0]) is not None


def completed_by(names: Sequence[str]) -> Iterator[str]:
    """What matters below a folder by its name together with the folder's: `config.toml`, if that is `.cargo`."""
    last = compared_names(names[-_LONGEST_WAY:])
    for at in range(len(last)):
        yield from _BEGUN.get(tuple(last[at:]), ())


def is_of_packages(names: list[str]) -> bool:
    """Whether it is part of packages that are installed, or says which there are."""
    return is_in_packages(names) or bool(names and names[-1].endswith((".pth", ".egg-link")))


def is_in_packages(names: list[str]) -> bool:
    """Whether it is there that packages are installed. Elsewhere, a `.pth` may be the weights of a model."""
    return not _INSTALLED.isdisjoint(names) or any(name.endswith((".dist-info", ".egg-info")) for name in names)

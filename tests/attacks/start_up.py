"""Lines of start-up files by which shells come to files of a project: each of the files must ask.

`{C}` is the project, which lies at `{R}` below the home directory.
"""

from __future__ import annotations

# By name: the start-up file, its text, and the file that a shell then reads.
LINES: dict[str, tuple[str, str, str]] = {
    "plain": (".bashrc", ". {C}/zz/a.sh", "zz/a.sh"),
    "plain-any-suffix": (".bashrc", "source {C}/zz/a.txt", "zz/a.txt"),
    "home": (".bashrc", '. "$HOME"/{R}/zz/a.sh', "zz/a.sh"),
    "home-braces": (".bashrc", '. "${HOME}/{R}/zz/a.sh"', "zz/a.sh"),
    "tilde": (".zshrc", "source ~/{R}/zz/a.zsh", "zz/a.zsh"),
    "default": (".bashrc", '. "${DOTFILES:-{C}}/x.sh"', "x.sh"),
    "default-home": (".bashrc", '. "${XDG_X:-$HOME/{R}}/x.sh"', "x.sh"),
    "default-nested": (".zshrc", '. "${A:-${B:-${HOME}/{R}}}/x.sh"', "x.sh"),
    "default-set": (".bashrc", ': "${DOTF:={C}/zz}"; . "$DOTF/x.sh"', "zz/x.sh"),
    "default-of-home": (".zshrc", 'source "${ZDOTDIR:-$HOME}/{R}/init.zsh"', "init.zsh"),
    "default-globbed": (
        ".zshrc",
        'export DOTFILES="${DOTFILES:-$HOME/{R}}"; for file in $DOTFILES/**/*.zsh; do source $file; done',
        "deep/er/a.zsh",
    ),
    "loop": (".bashrc", "for d in {C}/zz/lw /other; do . $d/init.sh; done", "zz/lw/init.sh"),
    "loop-in-loop": (".bashrc", "for d in {C}/zz; do for f in $d/*.sh; do . $f; done; done", "zz/new.sh"),
    "loop-above": (".bashrc", "for d in ~/src ~/other; do . $d/{N}/init.sh; done", "init.sh"),
    "loop-relative": (".bashrc", "for d in {R} other; do . ~/$d/init.sh; done", "init.sh"),
    "loop-globbed-folder": (".bashrc", "for d in ~/src/*/there; do . $d/init.sh; done", "there/init.sh"),
    "function": (".bashrc", 'load() { for f in "$1"/*.sh; do . "$f"; done; }; load {C}/zz/func', "zz/func/a.sh"),
    "entered": (".bashrc", "cd {C}/zz && . ./a.sh", "zz/a.sh"),
    "entered-above": (".bashrc", "cd ~/src && . {N}/a.sh", "a.sh"),
    "found": (".bashrc", "for f in $(find {C}/zz -name '*.sh'); do . $f; done", "zz/a.sh"),
    "printed-by-a-program": (".bashrc", 'eval "$({C}/bin/dev init -)"', "bin/dev"),
    "printed": (".bashrc", 'eval "$(cat {C}/env.txt)"', "env.txt"),
    "folder-printed": (".bashrc", "D=$(cd {C}/zz && pwd); . $D/a.sh", "zz/a.sh"),
    "folder-printed-choosing": (
        ".bashrc",
        'export NVM_DIR="$([ -z "${XDG_X-}" ] && printf %s "${HOME}/{R}" || printf %s /x)"; \\. "$NVM_DIR/nvm.sh"',
        "nvm.sh",
    ),
    "set-twice": (".bashrc", "D={C}/zz; . $D/a.sh; D=/other; . $D/x.sh", "zz/a.sh"),
    "set-in-parts": (".bashrc", "A=~/src; B={N}; D=$A/$B; . $D/a.sh", "a.sh"),
    "set-by-csh": (".tcshrc", "setenv D ~/{R}\nsource $D/a.csh", "a.csh"),
    "set-by-fish": (".config/fish/config.fish", "set -gx D ~/{R}; source $D/a.fish", "a.fish"),
    "blank": (".bashrc", '. "{C}/zz/a b.sh"', "zz/a b.sh"),
    "braces": (".bashrc", ". ~/src/{{N},other}/a.sh", "a.sh"),
    "unknown": (".bashrc", 'source "$HOME/src/$1"', "zz/a.sh"),
    "unknown-between": (".bashrc", '. "$HOME/src/$1/a.sh"', "deep/er/a.sh"),
    "autoload": (".zshrc", "fpath=({C}/zz/fp $fpath); autoload -Uz myfn; myfn", "zz/fp/myfn"),
    "no-suffix": (".bashrc", "for f in {C}/zz/*; do . $f; done", "zz/aliases"),
    "hidden": (".bashrc", "D={C}; . $D/.aliases", ".aliases"),
    "own-folder-of-a-link": (".profile", '. "$(dirname "$(readlink -f ~/.linked)")/a.sh"', "a.sh"),
    "by-another-file": (".bashrc", ". ~/.more", "zz/from-more.sh"),
}
OH_MY_ZSH = {
    ".zshrc": 'export ZSH="$HOME/.oh-my-zsh"\nplugins=(git mine)\nsource $ZSH/oh-my-zsh.sh\n',
    ".oh-my-zsh/oh-my-zsh.sh": (
        '[[ -n "$ZSH_CUSTOM" ]] || ZSH_CUSTOM="$ZSH/custom"\n_omz_source() {\n  local filepath="$1"\n'
        '  if [[ -f "$ZSH_CUSTOM/$filepath" ]]; then source "$ZSH_CUSTOM/$filepath"\n'
        '  elif [[ -f "$ZSH/$filepath" ]]; then source "$ZSH/$filepath"; fi\n}\n'
        'for plugin ($plugins); do _omz_source "plugins/$plugin/$plugin.plugin.zsh"; done\n'
        'for config_file ("$ZSH_CUSTOM"/*.zsh(N)); do source "$config_file"; done\n'
        'ZSH_COMPDUMP="${ZDOTDIR:-$HOME}/.zcompdump-${SHORT_HOST}-${ZSH_VERSION}"\n'
        'source "$ZSH/themes/$ZSH_THEME.zsh-theme"\n'
    ),
}

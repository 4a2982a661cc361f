"""Names of places that hold keys, or that make others run something: a place that is missing is added here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_RUN_BY_OTHERS = frozenset(
    ".git git~1 .hg .svn .jj .bzr .maverick .claude .codex .gemini .cursor .githooks .husky .vscode .idea .zed .fleet"
    " .run .devcontainer .windsurf .roo .kiro .amazonq .opencode .continue .helix .swiftpm .mvn .mise mise/config.toml"
    " .nova .theia .bsp .trae .clinerules .qwen .bundle .direnv .vim .nvim .emacs.d .ipython .jupyter .vs .junie .goose"
    " .yarn/releases .yarn/plugins .config/mise .cargo/config sitecustomize usercustomize"
    " .cargo/config.toml .sl .factory .augment .externaltoolbuilders tools/bazel"
    " .config/autostart .config/fish .config/git .config/systemd .config/environment.d .local/bin"
    " library/launchagents".split()
)
_RUN_FILES = frozenset(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout"
    " .cshrc .tcshrc .kshrc .login .logout .inputrc .envrc .gitconfig .gitmodules .mcp.json .claude.json .vimrc .exrc"
    " .nvim.lua .emacs .dir-locals.el .gdbinit .lldbinit .tmux.conf .screenrc .xprofile .xsession .xinitrc"
    " .pam_environment .devcontainer.json mise.toml .mise.toml mise.local.toml .mise.local.toml .nvimrc"
    " .pre-commit-config.yaml .pre-commit-config.yml .simple-git-hooks.json .overcommit.yml .tool-versions .yarnrc"
    " .yarnrc.yml .rprofile .octaverc .ghci .bazelrc .npmrc .pnpmfile.cjs .dir-locals-2.el .pdbrc .irbrc"
    " .pryrc .rspec .lvimrc opencode.json .crush.json pyvenv.cfg .pnp.cjs .vimrc.local .local.vimrc _vimrc"
    " .neoconf.json .ycm_extra_conf.py ipython_config.py .renviron .autoenv.zsh .gdbearlyinit .lldbinit-xcode"
    " prek.toml .tmuxinator.yaml hk.pkl captainhook.json .psqlrc .sqliterc .iex.exs .latexmkrc .aider.conf.yml .rvmrc"
    " .ocamlinit .utoprc .pylintrc .autoenv flake.nix shell.nix devenv.nix devbox.json"
    " .rbenv-vars .tmuxinator.yml .tmuxp.yaml sitecustomize.py usercustomize.py".split()
)
_RUN_NAMES = re.compile(
    r"\.?lefthook(?:-local)?\.(?:ya?ml|toml|jsonc?)|.*\.(?:code-workspace|sublime-project)"
    r"|\.?(?:lintstaged|lint-staged|commitlint)(?:rc)?(?:\.config)?(?:\.\w+)?"
    r"|\.envrc\..+|\.?mise\..+\.toml|\.(?:bash|zsh)rc\..+|\.bash_(?!history)\w+|\.gitconfig[.-].+|\.huskyrc(?:\.\w+)?"
)
_KEYS = frozenset(
    ".ssh .gnupg .aws .azure .kube .docker .password-store .terraform.d .databricks .config/gh .config/gcloud"
    " .config/op .config/hub .config/rclone .config/containers .cache/huggingface .local/share/keyrings"
    " .config/github-copilot .config/glab-cli .config/sops .config/stripe .config/doctl .config/hcloud .config/ngrok"
    " .config/helm/registry .config/google-chrome .huggingface .oci .pulumi .fly .supabase .cloudflared .kaggle"
    " .snowflake .subversion/auth .putty .mozilla .local/share/uv/credentials .config/git/credentials"
    " .local/share/opencode/auth.json .config/composer/auth.json .config/pypoetry/auth.toml"
    " .config/solana .bitcoin .ethereum .electrum .config/chromium .config/bravesoftware .config/microsoft-edge"
    " .config/slack .config/signal .config/configstore .config/age .config/filezilla .config/remmina .thunderbird"
    " .config/flyctl .config/netlify .config/doppler .config/argocd .config/scw .railway .argocd .aliyun .snowsql"
    " .local/share/com.vercel.cli .local/share/mkcert .minikube .ngrok2 .local/share/remmina .local/share/atuin"
    " .local/share/kwalletd .wrangler .step/secrets .minisign .pki"
    " library/keychains run/secrets".split()
)
_KEY_FILES = frozenset(
    ".netrc _netrc .git-credentials .pgpass .my.cnf .pypirc .npmrc .yarnrc .yarnrc.yml .credentials.json .claude.json"
    " .vault-token .databrickscfg .boto .s3cfg .dockercfg .cargo/credentials .cargo/credentials.toml .gem/credentials"
    " .codex/auth.json .gemini/oauth_creds.json .composer/auth.json .bash_history .zsh_history"
    " .m2/settings.xml id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk authorized_keys shadow"
    " .gradle/gradle.properties fish/fish_history .psql_history .sbt/.credentials .ivy2/.credentials"
    " .terraformrc .authinfo .msmtprc .mbsyncrc .fetchmailrc .sentryclirc .dbt/profiles.yml .config/pip/pip.conf"
    " .nuget/nuget.config .python_history .mysql_history .zhistory .histfile".split()
)
_ORDINARY_IN_PROJECTS = frozenset({".npmrc", ".yarnrc", ".yarnrc.yml", ".docker", ".kube", ".pulumi"})
"""They hold keys in a home directory, and settings elsewhere."""
_INSTALLED = frozenset("site-packages dist-packages node_modules .tox .nox".split())


def is_of_keys(names: list[str], *, is_at_home: bool) -> bool:
    """Whether keys are kept where these names lead."""
    way = way_of(names)
    found = {"/".join(names[-1:]), "/".join(names[-2:])} & _KEY_FILES | {key for key in _KEYS if f"/{key}/" in way}
    return bool(found if is_at_home else found - _ORDINARY_IN_PROJECTS)


def leads_to_keys(names: list[str]) -> bool:
    """Whether keys are kept there in a home directory, or further below."""
    way = "/".join(names) + "/"
    return is_of_keys(names, is_at_home=True) or any(key.startswith(way) for key in (*_KEYS, *_KEY_FILES))


def is_run_by_others(names: list[str]) -> bool:
    """Whether what is there can make other programs run something."""
    last = names[-1] if names else ""
    is_file = last in _RUN_FILES or _RUN_NAMES.fullmatch(last) is not None
    way = way_of(names)
    return is_file or any(f"/{place}/" in way for place in _RUN_BY_OTHERS)


def is_of_packages(names: list[str]) -> bool:
    """Whether it is part of packages that are installed, or says which there are."""
    is_about = any(name.endswith((".dist-info", ".egg-info")) for name in names)
    return is_about or not _INSTALLED.isdisjoint(names) or bool(names and names[-1].endswith((".pth", ".egg-link")))


def way_of(names: list[str]) -> str:
    """The names as one text in which each stands between slashes."""
    return f"/{'/'.join(names)}/"


def compared_names(parts: Iterable[str]) -> list[str]:
    """The names on a way, to be compared with those that are known."""
    return [compared(name) for part in parts for name in part.split("\\")]


def compared(name: str) -> str:
    """As a forgiving file system does: without case, invisible characters, and what Windows cuts off at the end."""
    if name.isascii():
        return name.casefold().rstrip(". ") or name
    visible = "".join(one for one in unicodedata.normalize("NFC", name) if unicodedata.category(one) != "Cf")
    return visible.casefold().rstrip(". ") or name

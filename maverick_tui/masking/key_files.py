"""Files that hold secrets, by their names: a name that is missing is added here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

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
    " .local/share/kwalletd .wrangler .step/secrets .minisign .pki .claude/backups"
    " .config/heroku .vercel .circleci .mc .config/borg/keys .config/io.datasette.llm .expo .config/claude"
    " .codeium/windsurf/mcp_config.json .config/opencode/opencode.json .config/pip/pip.conf .nuget/nuget/nuget.config"
    " .config/anthropic .config/kaggle .config/nix/nix.conf .config/syncthing .config/bitwarden .config/vivaldi"
    " .config/opera .local/share/gnupg .local/share/password-store .local/share/jupyter/runtime"
    " .config/cursor/auth.json .local/share/amp/secrets.json .config/goose/secrets.yaml .config/shell_gpt"
    " .planetscale .config/neonctl .awsvault .config/code/user/globalstorage .local/share/dbeaverdata .config/discord"
    " .local/share/telegramdesktop .foundry/keystores .near-credentials .sui/sui_config .config/gspread"
    " .config/helm/repositories.yaml library/keychains run/secrets .netlify .config/openstack .openstack .tsh .jfrog"
    " .config/twilio-cli .config/tea .confluent .config/confluent .config/atlascli .weechat .purple .neon .ibmcloud"
    " .bluemix .config/tailscale .config/1password .local/share/lpass .lastpass .config/turso .config/planetscale"
    " .config/linode-cli .config/render .config/keybase .jira.d .config/.jira .config/exercism .vagrant.d"
    " .config/jira .config/lab .config/uv/credentials .config/fly etc/ssl/private etc/wireguard etc/kubernetes"
    " etc/rancher etc/networkmanager/system-connections".split()
)
_KEY_FILES = frozenset(
    ".netrc _netrc .git-credentials .pgpass .my.cnf .pypirc .npmrc .yarnrc .yarnrc.yml .credentials.json .claude.json"
    " .vault-token .databrickscfg .boto .s3cfg .dockercfg .cargo/credentials .cargo/credentials.toml .gem/credentials"
    " .codex/auth.json .gemini/oauth_creds.json .composer/auth.json .bash_history .zsh_history"
    " .m2/settings.xml id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk authorized_keys shadow etc/shadow-"
    " .gradle/gradle.properties fish/fish_history .psql_history .sbt/.credentials .ivy2/.credentials"
    " .terraformrc .authinfo .msmtprc .mbsyncrc .fetchmailrc .sentryclirc .dbt/profiles.yml .pip/pip.conf"
    " .claude/settings.json .claude/settings.local.json .cursor/mcp.json .codex/config.toml .gemini/settings.json"
    " .continue/config.yaml .continue/config.json claude_desktop_config.json .rclone.conf .clasprc.json"
    " .nuget/nuget.config .python_history .mysql_history .zhistory .histfile"
    " .node_repl_history .sqlite_history .rediscli_history .sh_history .history .mylogin.cnf .smbcredentials"
    " .copilot/config.json .factory/auth.json .qwen/oauth_creds.json .iflow/oauth_creds.json .aider.conf.yml"
    " .consul-token .nomad-token .muttrc .offlineimaprc .authinfo.gpg .viminfo .lesshst .irb_history"
    " .vault_pass.txt .ansible_vault_pass"
    " kubeconfig .dockerconfigjson .erlang.cookie .xauthority .esmtprc .pg_service.conf rootkey.csv"
    " application_default_credentials.json"
    " containers/auth.json .curlrc .wakatime.cfg .irssi/config .bundle/config .transifexrc isyncrc"
    " gshadow etc/gshadow- krb5.keytab"
    " .vnc/passwd .vault_pass .streamlit/secrets.toml .modal.toml .passwd-s3fs .m2/settings-security.xml".split()
)
_FIRST_OF_KEYS = frozenset(key.partition("/")[0] for key in _KEYS)
"""Without one of these on a way none of them is: a folder that is looked through has thousands of names."""
KEYS = _KEYS | _KEY_FILES
"""All of them: names, and ways of several names."""
_ORDINARY_IN_PROJECTS = frozenset(
    ".npmrc .yarnrc .yarnrc.yml .docker .kube .pulumi .vercel .circleci .mc .expo .claude/settings.json"
    " .claude/settings.local.json .cursor/mcp.json .codex/config.toml .gemini/settings.json .continue/config.yaml"
    " .continue/config.json .history .aider.conf.yml kubeconfig .netlify .neon .vagrant.d .bundle/config".split()
)
"""They hold keys in a home directory, and settings elsewhere."""
_SECRET_NAMES = re.compile(
    r"\.env(?:[-_.].+)?|.+\.env|\.envrc(?:\..+)?|\.(?:dev|prod)\.vars(?:\..+)?|\.secrets?\b.*"
    r"|.+\.(?:pem|key|p8|p12|pk8|pfx|pkcs12|jks|jceks|bks|keystore|keytab|kdbx?|psafe3|ppk|gpg|age|ovpn|tfstate)"
    r"|.+\.kubeconfig|.+\.tfvars(?:\.json)?"
    r"|\.?(?:credentials?|secrets?|service[-_]?account[\w-]*|client_secret[\w.-]*)"
    r"|\.?(?!(?:.*[-_.])?(?:external|sealed)[-_.])(?:[\w.-]+[-_.])?(?:credentials?|secrets?|client_secret)(?:[-_.][\w.-]+)?"
    r"\.(?:json|ya?ml|toml|ini|txt|xml|csv|cfg|conf|properties)"
    r"|\.?(?:[\w.-]+[-_.])?service[-_]?account(?:[-_.][\w.-]+)?\.json"
    r"|(?:(?:access|refresh|auth|oauth|api|bot|github|gitlab|npm)[-_]?tokens?|token)(?:\.(?:json|txt|ya?ml|pickle))?"
    r"|(?:api|private|secret)[-_]?keys?(?:\.(?:json|txt|ya?ml))?|(?:gcp|gcloud|google|sa)[-_]key[\w-]*\.json"
    r"|(?:.*-)?firebase-adminsdk[\w-]*\.json|auth\.json|oauth_creds\.json|passwords?\.(?:txt|csv)"
    r"|(?:.+_)?accesskeys\.csv|rootkey\.csv|(?:key|keystore|signing)\.properties|kubeconfig(?:[-_.].+)?"
    r"|\.?(?:vault|ansible)[-_](?:vault[-_])?pass(?:word)?(?:\.txt)?|\.?htpasswd|\.htdigest"
    r"|\.ftpconfig|sftp(?:-config)?\.json"
    r"|(?:deploy|github|gitlab|bitbucket|git|aws|ec2|ssh)[-_](?:key|rsa|dsa|ecdsa|ed25519)"
    r"|ssh_host_[a-z\d]+_key|wg\d+\.conf|wallet\.dat|cookies\.txt"
)
_NO_SECRETS = re.compile(
    r".*\.(?:example|sample|template|dist|defaults?|[cm]?[jt]sx?|py|go|rs|rb|java|kt|swift|cs|php|c|h|cpp|md|pub)"
    r"|.*[-_.](?:example|sample|template)(?:\.\w+)?"
)
"""What shows how such a file is written, without any secret, and code."""
_OWN_KEYS = re.compile(
    r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[-_][\w@-]+)?(?:\.(?:key|pem|priv))?|krb5cc_\w+|ssh_host_\w+_key"
)
"""How a key of ssh is called, perhaps with what it is for, and a ticket of Kerberos with whose it is."""
_COPY = "bak|backup|copy|corrupted|new|old|orig|save|sw[k-p]|tmp"
_MARKS_OF_COPIES = re.compile(rf"(?:~|\.~?\d|[-._ ](?:{_COPY}))(?:[-._ ~\da-f]|{_COPY})*\Z")
"""What editors, programs and people put behind the name of a file that they copy, with numbers and dates."""
_OF_EDITORS = re.compile(r"\.(?P<edited>.+)\.(?:(?:kate-)?sw[k-p]|un~)|\.#(?P<locked>.+)")
"""What vim, nano, kate and emacs keep beside a file while it is edited; of a dot file perhaps without one more dot."""
_LONGEST_NAME = 255


def holds_secrets(path: str) -> bool:
    """Whether a file of a project holds secrets, by its name or the folder that it is in."""
    names = compared_names(path.split("/"))
    return any(map(_is_secret, (names[-1], _edited(names[-1])))) or is_of_keys(names, is_at_home=False)


def _is_secret(name: str) -> bool:
    name = copied(name)
    return _SECRET_NAMES.fullmatch(name) is not None and _NO_SECRETS.fullmatch(name) is None


def _edited(name: str) -> str:
    """What an editor keeps this for; empty if it is nothing of the kind."""
    found = _OF_EDITORS.fullmatch(name) if len(name) <= _LONGEST_NAME else None
    return found["edited"] or found["locked"] if found is not None else ""


def is_of_keys(names: list[str], *, is_at_home: bool) -> bool:
    """Whether keys, or copies of them, are kept where these names lead."""
    if names and (edited := _edited(names[-1])) and is_of_keys([*names[:-1], edited], is_at_home=is_at_home):
        return True
    names = list(map(copied, names))
    if names and (names[-1].endswith(".kdbx") or _OWN_KEYS.fullmatch(names[-1])):
        return True
    found = {"/".join(names[-1:]), "/".join(names[-2:])} & _KEY_FILES
    if not _FIRST_OF_KEYS.isdisjoint(names):
        way = way_of(names)
        found |= {key for key in _KEYS if f"/{key}/" in way}
    return bool(found if is_at_home else found - _ORDINARY_IN_PROJECTS)


def leads_to_keys(names: list[str]) -> bool:
    """Whether keys are kept there in a home directory, or further below."""
    way = "/".join(names) + "/"
    return is_of_keys(names, is_at_home=True) or any(key.startswith(way) for key in KEYS)


def copied(name: str) -> str:
    """The name of what something is a copy of, by its own name; that name if it is none."""
    is_long = len(name) > _LONGEST_NAME  # which no file can be called, and which would take long to look through
    return name if is_long else _MARKS_OF_COPIES.sub("", name.strip("#")) or name


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

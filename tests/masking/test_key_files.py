"""Files that hold secrets, by their names."""

from __future__ import annotations

from maverick_tui.masking import key_files
from maverick_tui.masking.key_files import holds_secrets, is_of_keys, leads_to_keys
from tests.support.cases import each


@each(
    "path",
    [".env", "app/.env.local", "prod.env", ".ENV", "tls/server.key", "x.pem", ".aws/credentials", "id_ed25519",
     "secrets.yaml", "credentials.json", "service-account-prod.json", ".netrc", "infra/prod.tfvars", "auth.json",
     ".env-local", ".env_prod", "credentials.csv", "new_user_credentials.csv", "aws-credentials.json", "id_rsa_github",
     "kubeconfig", "kubeconfig-prod.yaml", "dev.kubeconfig", "token.json", "token", "github_token.txt", "token.pickle",
     "serviceAccount.json", "shop-firebase-adminsdk-x1-0a1b.json", "client_secret_1.apps.json", "app.keystore",
     "app.ppk", "AuthKey.p8", "app.keytab", ".pgpass", ".my.cnf", ".htpasswd", "secrets.yml", "secrets.prod.toml",
     "db-secret.yaml", "prod.tfvars.json", ".dev.vars.staging", "rootkey.csv", "me_accessKeys.csv", "key.properties",
     "vault_pass.txt", "deploy_rsa", "ssh_host_rsa_key", "wg0.conf", "cookies.txt", "sftp.json", "gcp-key.json",
     "application_default_credentials.json", ".dockerconfigjson", "api_key.txt", "passwords.csv",
     ".env~", "tls/server.key.bak", "x.pem.orig", "auth.json.old", "prod.tfstate.backup", ".netrc.swp",
     ".auth.json.swp", ".token.txt.swo", ".id_rsa.swp", "..env.un~", ".credentials.json.un~", ".#token.json",
     ".id_ed25519.kate-swp", ".deploy_rsa.swn"],
)  # fmt: skip
def test_secrets_are_known_by_their_names(path: str) -> None:
    assert holds_secrets(path)


@each(
    "path",
    [".env.example", ".env.sample", "environment.py", "keys.py", "secrets.py", "src/credentials.py", ".npmrc",
     ".env.template", ".env-example", ".env.local.example", "token.py", "tokens.json", "special_tokens_map.json",
     "design-tokens.json", "tokenizer.json", "id_rsa_test.go", "id_rsa_github.pub", "credentials.ts", "secrets.md",
     "secrets.example.yaml", "credentials.sample.json", "kubeconfig.go", "service-account.ts", "secretary.json",
     "templates/serviceaccount.yaml", "service-account.yaml", "external-secrets.yaml", "shop-sealed-secrets.yaml",
     "password.json", "keys.json", ".environment", "test_rsa", "wg.conf",
     ".env.example.bak", "old", "~"],
)  # fmt: skip
def test_other_files_are_none(path: str) -> None:
    assert not holds_secrets(path)


@each(
    "path",
    [".netrc~", ".netrc.~1~", "#.netrc#", ".netrc.bak", ".netrc_old", ".netrc.save.1", ".netrc.2",
     ".git-credentials.orig", ".claude.json.backup", ".claude.json.backup.1794938795689", ".claude.json.corrupted.17",
     ".claude.json.tmp.123.af", ".claude/backups", ".claude/backups/any", ".cargo/credentials.toml.bak-2026-11-01",
     ".zsh_history.new", "id_rsa copy", ".ssh.bak/config", ".aws-old/credentials", ".config/gh.backup/hosts.yml",
     "etc/shadow-", "keys/id_ed25519_work", "id_rsa-github.bak", "kubeconfig", ".config/openstack/clouds.yaml",
     "run/user/1000/containers/auth.json", "tmp/krb5cc_1000", "etc/ssh/ssh_host_rsa_key", ".tsh/keys/x", ".curlrc"],
)  # fmt: skip
def test_copies_of_keys_are_keys(path: str) -> None:
    assert is_of_keys(path.split("/"), is_at_home=True)
    assert leads_to_keys(path.split("/"))


@each(
    "path",
    ["id_rsa.pub", "id_rsa_work.pub", "id_rsa_test.go", "id_rsa_tests/a.pem.md", "kubeconfig/a.go",
     "shadow.css", "shadow-2", "shadow-", "box_shadow_old.py", "shadow_copy.py", ".netrc.md",
     ".claude/agents", "a.bak", "src/a.py~", "bak", "#", "-old.1" * 40 + "x"],
)  # fmt: skip
def test_other_copies_are_none(path: str) -> None:
    assert not is_of_keys(path.split("/"), is_at_home=True)


def test_settings_of_a_project_are_none_in_copies_either() -> None:
    for name in (".npmrc", ".npmrc.bak", ".claude/settings.json", ".cursor/mcp.json", ".vercel/project.json"):
        assert not is_of_keys(name.split("/"), is_at_home=False)
        assert is_of_keys(name.split("/"), is_at_home=True)


def test_every_name_that_is_listed_counts() -> None:
    for name in (*key_files._KEYS, *key_files._KEY_FILES):
        assert is_of_keys(["home", "me", *name.split("/")], is_at_home=True), name

"""Names of secrets, and of other things."""

from __future__ import annotations

from maverick_tui.masking.names import holds_secret, is_secret
from tests.support.cases import each


@each(
    "name",
    ["KEY", "API_KEY", "apiKey", "X-Api-Key", "--api-key", "GITHUB_TOKEN", "authToken", "AUTHTOKEN", "DB_PASSWORD",
     "DB_PASS", "DB_PWD", "passwd", "client_secret", "SECRET_2", "AWS_CREDENTIALS", "SENTRY_DSN", "PROXY_AUTH",
     "Authorization", "SECRET_KEY_BASE", "SSHPASS", "DB_PW", "LDAP_BIND_PW", "rootPw", "JWT", "CI_JOB_JWT", "BEARER",
     "AWS_SECRETKEY", "deploy_sshkey", "WALLET_MNEMONIC"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name)


@each(
    "name",
    ["MONKEY", "PWD", "OLDPWD", "KEYBOARD", "max_tokens", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "TOKEN_FILE",
     "AWS_ACCESS_KEY_ID", "AUTHOR", "COMPASS", "PATH", "", "__", "JWT_ISSUER", "bearerFormat", "BYPASS", "PWA",
     "mnemonic"],
)  # fmt: skip
def test_names_of_other_things(name: str) -> None:
    assert not is_secret(name)


@each(
    ("name", "value", "is_so"),
    [
        ("token", 12345678, True),
        ("secret", {"value": "hunter2"}, True),
        ("passwords", ["hunter2"], True),
        ("API_KEYS", {"shop": "hunter2"}, True),
        ("tokens", ["hunter2"], True),
        ("tokens", 4096, False),
        ("max_tokens", 4096.0, False),
        ("token", None, False),
        ("token", "", False),
        ("secret", True, False),
        ("token_ids", ["a"], False),
        ("files", ["a"], False),
    ],
)
def test_a_field_holds_a_secret_whatever_its_type(name: str, value: object, is_so: bool) -> None:
    assert holds_secret(name, value) is is_so

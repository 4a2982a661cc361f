"""Files that hold secrets, by their names."""

from __future__ import annotations

import pytest

from maverick_tui.masking.key_files import holds_secrets
from tests.support.cases import each


@each(
    "path",
    [".env", "app/.env.local", "prod.env", ".ENV", "tls/server.key", "x.pem", ".aws/credentials", "id_ed25519",
     "secrets.yaml", "credentials.json", "service-account-prod.json", ".netrc", "infra/prod.tfvars", "auth.json"],
)  # fmt: skip
def test_secrets_are_known_by_their_names(path: str) -> None:
    assert holds_secrets(path)


@pytest.mark.parametrize(
    "path", [".env.example", ".env.sample", "environment.py", "keys.py", "secrets.py", "src/credentials.py", ".npmrc"]
)
def test_other_files_are_none(path: str) -> None:
    assert not holds_secrets(path)

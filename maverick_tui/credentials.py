"""Which credentials a model would be asked with, and never what they are. Light: it is asked before the first frame."""

from __future__ import annotations

import os
from collections.abc import Mapping

from maverick_tui import paths

KEY = "ANTHROPIC_API_KEY"
TOKEN = "ANTHROPIC_AUTH_TOKEN"
_LOGIN_TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"
PROVIDERS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
"""Variables that have the CLI ask somebody else, who has credentials of their own."""


def credentials_in(variables: Mapping[str, str]) -> list[str]:
    """The variables that would be used: a provider, else a key and a token, which the CLI sends both, else a login."""
    for among in (PROVIDERS, (KEY, TOKEN), (_LOGIN_TOKEN,)):
        if found := [name for name in among if variables.get(name)]:
            return found
    return []


def has_credentials() -> bool:
    """Whether a model can be asked: a key or a provider is in the environment, or the CLI has been logged in."""
    return bool(credentials_in(os.environ)) or is_logged_in()


def is_logged_in() -> bool:
    """Whether the CLI has been logged in; on macOS its key is in the keychain and only its state tells of it."""
    return (paths.claude_config() / ".credentials.json").exists() or "oauthAccount" in _state()


def _state() -> str:
    folder = paths.claude_config()
    for path in (folder / ".claude.json", folder.parent / ".claude.json"):
        try:
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return ""

"""Which credentials a model would be asked with, and never what they are. Light: it is asked before the first frame."""

from __future__ import annotations

import os
from collections.abc import Mapping

from maverick_tui import paths

KEY = "ANTHROPIC_API_KEY"
TOKEN = "ANTHROPIC_AUTH_TOKEN"
_LOGIN_TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"
_YES = ("1", "true", "yes", "on")
"""What the CLI takes for a yes; anything else is a no."""
PROVIDERS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
"""Variables that have the CLI ask somebody else, who has credentials of their own."""


def credentials_in(variables: Mapping[str, str]) -> list[str]:
    """The variables that would be used: a provider, else a key and a token, which the CLI sends both, else a login."""
    asked = [name for name in PROVIDERS if variables.get(name, "").lower() in _YES]
    keys, logins = ([name for name in among if variables.get(name)] for among in ((KEY, TOKEN), (_LOGIN_TOKEN,)))
    return asked or keys or logins


def has_credentials() -> bool:
    """Whether a model can be asked: a key or a provider is in the environment or the settings, or there is a login."""
    return bool(credentials_in(os.environ)) or is_logged_in() or bool(credentials_in(_settings_env()))


def _settings_env() -> Mapping[str, str]:
    """The variables of the settings. They take a while to read, so only where somebody has made some."""
    if not os.environ.get("MAVERICK_ENV") and not (paths.user_config() / "config.toml").exists():
        return {}
    from maverick_tui.config import MaverickConfig
    from maverick_tui.exceptions import ConfigError

    try:
        return MaverickConfig.load().env
    except ConfigError:  # whoever uses them says why they cannot be used
        return {}


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

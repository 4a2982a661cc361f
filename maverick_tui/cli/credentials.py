"""Whether a model can be asked at all; a guess, made without asking anybody."""

from __future__ import annotations

import os

_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
)


def has_credentials() -> bool:
    """Whether a key or a provider is in the environment, or the CLI has been logged in."""
    if any(os.environ.get(name) for name in _VARIABLES):
        return True
    from maverick_tui import paths

    return (paths.claude_config() / ".credentials.json").exists() or "oauthAccount" in _state()


def _state() -> str:
    """What the CLI keeps of itself; on macOS its key is in the keychain and only this tells of a login."""
    from maverick_tui import paths

    folder = paths.claude_config()
    for path in (folder / ".claude.json", folder.parent / ".claude.json"):
        try:
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return ""

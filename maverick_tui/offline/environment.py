"""What the CLI must be told so that it only talks to the offline model, and leaves the user's own files alone."""

from __future__ import annotations

from pathlib import Path

_OTHER_PROVIDERS = tuple(
    f"CLAUDE_CODE_USE_{name}"
    for name in ("BEDROCK", "VERTEX", "FOUNDRY", "MANTLE", "ANTHROPIC_AWS", "ANTHROPIC_GOOGLE_CLOUD", "GATEWAY")
)


def offline_environment(url: str, home: Path) -> dict[str, str]:
    """Variables for the CLI (`MaverickConfig.env`): one connection, to loopback, and all its files below `home`."""
    return {
        "MAVERICK_OFFLINE": "1",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "offline",
        "ANTHROPIC_AUTH_TOKEN": "",
        "ANTHROPIC_UNIX_SOCKET": "",
        "CLAUDE_CODE_OAUTH_TOKEN": "",
        **dict.fromkeys(_OTHER_PROVIDERS, ""),
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_SIMPLE": "",
    }

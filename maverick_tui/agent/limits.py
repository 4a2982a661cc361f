"""Limits that hold for every agent, wherever it comes from."""

MAX_PROMPT = 120 * 1024
"""Longest system prompt, in bytes: it travels on a command line."""

MAX_LINE = 50 * 1024 * 1024
"""Longest message of the CLI, in bytes; the SDK's own limit of 1 MB ends the session on one large file."""

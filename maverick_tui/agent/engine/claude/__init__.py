"""The engine `claude-code`: the Claude Agent SDK and its CLI. All that knows their messages is here."""

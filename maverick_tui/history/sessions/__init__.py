"""Sessions of the plain `claude` CLI, which are Claude Code's own: read, and never written to."""

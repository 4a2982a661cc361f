"""Worktrees of runs: each may work in one of its own, which is made, looked after and removed here."""

"""The board: every run that is alive, to be looked at, answered and stopped without leaving."""

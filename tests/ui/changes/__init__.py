"""The screen of what a run has changed."""

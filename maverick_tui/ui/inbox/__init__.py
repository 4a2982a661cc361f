"""The inbox: all questions of all runs in one place."""

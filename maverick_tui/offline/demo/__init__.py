"""The demo: a small repository, and what the shipped agents say about it."""

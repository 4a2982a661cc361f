"""Masking: what a secret is, and the one way to keep it out of what is shown, logged and stored."""

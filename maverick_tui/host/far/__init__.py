"""Runs on other machines, over the person's own SSH: `gateway.py` is there, everything else is here."""

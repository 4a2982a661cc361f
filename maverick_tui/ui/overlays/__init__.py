"""Texts that lie over a screen, to be read and closed: the keys, and all about a failure."""

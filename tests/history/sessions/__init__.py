"""Sessions of the plain CLI."""

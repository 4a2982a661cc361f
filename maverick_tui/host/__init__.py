"""A run in a process of its own: owned by nobody's terminal, and read from any of them."""

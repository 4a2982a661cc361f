"""Files that an `@` in the prompt may name: which there are, which are meant, and how they are offered."""

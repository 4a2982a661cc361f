"""What may run unasked: one judge for rules, grants, modes and engines. It reads a call, and runs nothing of it."""

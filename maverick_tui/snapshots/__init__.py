"""Snapshots of working folders: what was in them, what has changed between two, who changed it, and the way back."""

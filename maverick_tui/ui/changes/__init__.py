"""What a run has changed: the files, their diffs, comments on them, and the way back."""

"""What a run tells, as values that can travel: below all that speaks of runs, so that engines may speak it."""

"""The screen of a run, and the parts that it is composed of."""

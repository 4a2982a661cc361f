"""The live transcript: entries of a run drawn as rows, the open block again and again, the finished ones once."""

"""Exports: a run as Markdown, as a page, as lines of events, and as a recording of a terminal."""

"""Long texts as lines: wrapped once, drawn as they come into view."""

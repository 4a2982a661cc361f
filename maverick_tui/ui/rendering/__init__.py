"""Text as rows of a fixed width: Markdown, code, diffs and plain text, drawn once and never styled again."""

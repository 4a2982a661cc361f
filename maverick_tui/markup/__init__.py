"""What text means, without saying what it looks like: Markdown, code in its language, and what has changed."""

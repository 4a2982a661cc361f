"""All kept runs to look through, to search, and to add up."""

"""The terminal application: everything that draws with Textual."""

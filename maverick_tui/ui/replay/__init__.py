"""A kept run plays again: no model, no tools, nothing is sent."""

"""What was: all kept runs, to be listed, searched and exported. Everything here is derived from journals."""

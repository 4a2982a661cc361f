"""What may keep Maverick from working well, looked at from all sides; the command line prints it."""

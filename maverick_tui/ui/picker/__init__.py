"""The agent picker: every agent there is, and the X-ray of the highlighted one."""

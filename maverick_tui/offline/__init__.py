"""A scripted model on loopback: the real SDK and the real CLI talk to it, tools really run, nobody pays."""

"""One prompt to several agents, on the screen: asked for, watched, compared, and one of them kept."""

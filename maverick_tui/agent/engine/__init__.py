"""The way to the model: the Claude Agent SDK and its CLI, wrapped. It is imported when an agent runs, not before."""

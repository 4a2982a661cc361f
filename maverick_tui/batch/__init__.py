"""Many prompts for one agent, each a run in a process of its own, on one machine or several."""

"""Questions that wait for an answer: trust, inputs, yes or no."""

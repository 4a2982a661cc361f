"""The way to a model: what is said to it, what that costs, how it is asked, and what fails."""

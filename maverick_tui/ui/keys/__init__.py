"""Keys: what they do and are called, those that the person has chosen, and what is typed too early."""

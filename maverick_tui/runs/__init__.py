"""What a run is: the events it consists of, the commands it takes, and the state that follows from its events."""

"""Every run is kept: its events in a file of its own, from which all else can be made again."""

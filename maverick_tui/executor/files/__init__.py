"""Tools that look at the files in one folder: what may be read, which files there are, and searching them."""

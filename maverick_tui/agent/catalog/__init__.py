"""Which agents there are: files, folders and packages that are read without being run, and loaded once trusted."""

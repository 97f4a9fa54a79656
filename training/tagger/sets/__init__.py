"""One module a data set; each offers ``read(folder)`` and yields records."""

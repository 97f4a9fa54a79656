"""Word files: every part of the package is read, and treated."""

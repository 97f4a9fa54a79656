"""How the shipped clinical classifier was made. See README.md beside this file."""

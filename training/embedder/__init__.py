"""How the shipped embedder was made. See README.md beside this file."""

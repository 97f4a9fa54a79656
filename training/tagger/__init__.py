"""How the shipped tagger was made: data, splits, training, export. See README.md beside this file."""

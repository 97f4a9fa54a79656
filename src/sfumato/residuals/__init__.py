"""What is left of replaced values anywhere in a release: in its text, its identifiers, names, and rendered files."""

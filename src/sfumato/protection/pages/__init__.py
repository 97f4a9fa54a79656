"""The pages: what became of a release, and the frontier."""

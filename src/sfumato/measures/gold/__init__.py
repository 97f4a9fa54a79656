"""What people marked, read from their files."""

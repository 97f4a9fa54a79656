"""Claims of the original, judged against what the release and the background let a reader conclude."""

"""What models really answer, read strictly: lists, ratings, rewrites; refusals; why an answer is of no use."""

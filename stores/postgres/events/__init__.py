"""Events with vectors, words, links and revisions."""

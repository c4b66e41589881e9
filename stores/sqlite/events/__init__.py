"""Events in `index.sqlite`: their rows, words, links, revisions and vectors, and the scopes that hold them."""

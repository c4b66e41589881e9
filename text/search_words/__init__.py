"""The words by which memory is searched: how a text is split, stemmed, indexed and weighed."""

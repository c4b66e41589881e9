"""The steps of the retriever chain."""

"""Retriever, tools, callbacks and embeddings for LangChain and LangGraph."""

"""Models that the caller brings: LangChain chat models, embeddings and document compressors as Historian's own ports."""

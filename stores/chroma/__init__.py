"""The derived vector index in Chroma."""

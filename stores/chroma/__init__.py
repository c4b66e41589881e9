"""The derived vector index, by Chroma."""

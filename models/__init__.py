"""Chat models, embedders and rerankers, made from settings or given by the caller."""

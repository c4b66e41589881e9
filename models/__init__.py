"""Chat models, embedders and rerankers, made from settings. Client libraries are imported on the first call."""

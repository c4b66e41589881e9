"""Chat models, embedders and rerankers, made from settings or given by the caller.

Client libraries are imported at the first call.
"""

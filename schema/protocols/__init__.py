"""The protocols of stores and models, one per file. Nodes, retrieval and service use these, never an implementation.

Stores are synchronous and thread-safe: callers on an event loop use `asyncio.to_thread`. Models are asynchronous.
"""

from .article_stores import ArticleStorage, ArticleStores, LineVectors
from .chat_model import Answer, ChatModel, Usage
from .embedder import Embedder
from .event_store import EventStore, ScopeNews
from .job_queue import FailedJob, JobQueue, JobState, QueueCounts
from .profile_index import ProfileIndex
from .profile_storage import ProfileStorage
from .reranker import Reranker
from .revisions import Ledger
from .summary_stores import StateBuffer, SummaryStorage
from .vector_index import VectorIndex
from .vectors import Matrix, Vector

__all__ = [
    "Answer",
    "ArticleStorage",
    "ArticleStores",
    "ChatModel",
    "Embedder",
    "EventStore",
    "FailedJob",
    "JobQueue",
    "JobState",
    "Ledger",
    "LineVectors",
    "Matrix",
    "ProfileIndex",
    "ProfileStorage",
    "QueueCounts",
    "Reranker",
    "ScopeNews",
    "StateBuffer",
    "SummaryStorage",
    "Usage",
    "Vector",
    "VectorIndex",
]

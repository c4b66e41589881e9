"""The protocols of stores and models, one per file. Nodes, retrieval and service use these, never an implementation.

Stores are synchronous and thread-safe: callers on an event loop use `asyncio.to_thread`. Models are asynchronous.
"""

from .backend import Backend
from .chat_model import Answer, ChatModel, StructuredChat, Usage
from .checkpoints import OpenCheckpoints
from .documents.articles import ArticleStorage, ArticleStores, LineVectors
from .documents.plain_summaries import PlainSummaries
from .documents.profile_index import ProfileIndex
from .documents.profiles import ProfileStorage
from .documents.revisions import Ledger
from .documents.summaries import StateBuffer, SummaryStorage
from .embedder import Embedder
from .erasure import Erasure
from .events.note_manifest import NoteManifest
from .events.revisions import EventRevisions
from .events.shadow_vectors import ShadowVectors
from .events.store import EventStore, Outdated, ScopeNews
from .events.transfer import EventTransfer
from .events.vector_index import VectorIndex
from .forget_requests import ForgetReport, ForgetRequest, ForgetRequests
from .items import ItemStorage
from .job_queue import FailedJob, JobQueue, JobState, QueueCounts
from .ownership import Owner, Ownership, Workers
from .reranker import Reranker
from .vectors import Matrix, Vector

__all__ = [
    "Answer",
    "ArticleStorage",
    "ArticleStores",
    "Backend",
    "ChatModel",
    "Embedder",
    "Erasure",
    "EventRevisions",
    "EventStore",
    "EventTransfer",
    "FailedJob",
    "ForgetReport",
    "ForgetRequest",
    "ForgetRequests",
    "ItemStorage",
    "JobQueue",
    "JobState",
    "Ledger",
    "LineVectors",
    "Matrix",
    "NoteManifest",
    "OpenCheckpoints",
    "Outdated",
    "Owner",
    "Ownership",
    "PlainSummaries",
    "ProfileIndex",
    "ProfileStorage",
    "QueueCounts",
    "Reranker",
    "ScopeNews",
    "ShadowVectors",
    "StateBuffer",
    "StructuredChat",
    "SummaryStorage",
    "Usage",
    "Vector",
    "VectorIndex",
    "Workers",
]

"""The protocols of stores and models, one per file. Nodes, retrieval and service use these, never an implementation.

Stores are synchronous and thread-safe: callers on an event loop use `asyncio.to_thread`. Models are asynchronous.
"""

from .chat_model import Answer as Answer
from .chat_model import ChatModel as ChatModel
from .chat_model import Judged as Judged
from .chat_model import StructuredChat as StructuredChat
from .chat_model import Usage as Usage
from .chat_model import not_judged as not_judged
from .checkpoints import OpenCheckpoints as OpenCheckpoints
from .documents.articles import ArticleStorage as ArticleStorage
from .documents.articles import ArticleStores as ArticleStores
from .documents.profile_index import ProfileIndex as ProfileIndex
from .documents.profiles import ProfileStorage as ProfileStorage
from .documents.summaries import SummaryStorage as SummaryStorage
from .embedder import Embedder as Embedder
from .events.shadow_vectors import ShadowVectors as ShadowVectors
from .events.store import EventStore as EventStore
from .events.store import NewVectors as NewVectors
from .events.store import ScopeNews as ScopeNews
from .events.vector_index import IndexDocument as IndexDocument
from .events.vector_index import VectorIndex as VectorIndex
from .job_queue import FailedJob as FailedJob
from .job_queue import JobQueue as JobQueue
from .job_queue import JobState as JobState
from .job_queue import QueueCounts as QueueCounts
from .ownership import Owner as Owner
from .ownership import Ownership as Ownership
from .ownership import Workers as Workers
from .reranker import Reranker as Reranker
from .vectors import Matrix as Matrix
from .vectors import Vector as Vector

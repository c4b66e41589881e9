"""The protocols that have several implementations: models, the queue, workers, the vector index.

Stores are synchronous and thread-safe: callers on an event loop use `asyncio.to_thread`. Models are asynchronous.
"""

from .chat_model import Answer as Answer
from .chat_model import ChatModel as ChatModel
from .chat_model import Judged as Judged
from .chat_model import StructuredChat as StructuredChat
from .chat_model import Usage as Usage
from .chat_model import not_judged as not_judged
from .embedder import Embedder as Embedder
from .embedder import Fingerprint as Fingerprint
from .embedder import Fingerprints as Fingerprints
from .job_queue import FailedJob as FailedJob
from .job_queue import JobQueue as JobQueue
from .job_queue import JobState as JobState
from .job_queue import QueueCounts as QueueCounts
from .ownership import Owner as Owner
from .ownership import Ownership as Ownership
from .ownership import Workers as Workers
from .reranker import Reranker as Reranker
from .vector_index import IndexDocument as IndexDocument
from .vector_index import VectorIndex as VectorIndex
from .vectors import Matrix as Matrix
from .vectors import Vector as Vector

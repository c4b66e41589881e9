"""The protocols that have several implementations: models, the queue, workers, the vector index.

Stores are synchronous and thread-safe: callers on an event loop use `asyncio.to_thread`. Models are asynchronous.
"""

from .job_queue import FailedJob as FailedJob
from .job_queue import JobQueue as JobQueue
from .job_queue import JobState as JobState
from .job_queue import QueueCounts as QueueCounts
from .models import Answer as Answer
from .models import ChatModel as ChatModel
from .models import Embedder as Embedder
from .models import Fingerprint as Fingerprint
from .models import Fingerprints as Fingerprints
from .models import Judged as Judged
from .models import Matrix as Matrix
from .models import Reranker as Reranker
from .models import StructuredChat as StructuredChat
from .models import Usage as Usage
from .models import Vector as Vector
from .models import not_judged as not_judged
from .ownership import Owner as Owner
from .ownership import Ownership as Ownership
from .ownership import Workers as Workers
from .vector_index import IndexDocument as IndexDocument
from .vector_index import VectorIndex as VectorIndex

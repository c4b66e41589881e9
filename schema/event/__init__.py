"""Events, the people in them, and filters of events."""

from .event import Event as Event
from .event import is_raw as is_raw
from .event import labels_of_job as labels_of_job
from .fields import EVENT_SCHEMA_VERSION as EVENT_SCHEMA_VERSION
from .fields import MESSAGE as MESSAGE
from .fields import MESSAGE_NOT_EDITABLE as MESSAGE_NOT_EDITABLE
from .fields import OBSERVATION as OBSERVATION
from .fields import SOURCES as SOURCES
from .fields import TIME_UNKNOWN as TIME_UNKNOWN
from .fields import EventKind as EventKind
from .fields import EventLink as EventLink
from .fields import Labels as Labels
from .fields import Revision as Revision
from .fields import RewrittenBy as RewrittenBy
from .fields import Written as Written
from .fields import WrittenKind as WrittenKind
from .filter import EventFilter as EventFilter
from .people import BorneName as BorneName
from .people import KnownPerson as KnownPerson
from .people import NamedPerson as NamedPerson

"""Every setting, with its default, its bounds and its meaning in both languages.

The model is the single source: validation, the commented `config.toml` that `historian init` writes, and the tables in the
documents are made from it. The docstring of a key is its meaning: a line in Chinese, then English. Values come, in order of
increasing precedence, from the defaults, from a TOML file and from the environment (`HISTORIAN__COGNITIVE__QUERY__AUTO_TOP_K=5`).
"""

from __future__ import annotations

from pydantic import Field
from pydantic.fields import FieldInfo

from .cognitive import CognitiveSettings as CognitiveSettings
from .cognitive import HistorianSettings as HistorianSettings
from .cognitive import ObservationSettings as ObservationSettings
from .cognitive import ProfileSettings as ProfileSettings
from .cognitive import QuerySettings as QuerySettings
from .cognitive import QueueSettings as QueueSettings
from .cognitive import ShorttermSettings as ShorttermSettings
from .cognitive import TalkSettings as TalkSettings
from .models import ChatSettings as ChatSettings
from .models import EmbeddingSettings as EmbeddingSettings
from .models import ModelSettings as ModelSettings
from .models import RerankSettings as RerankSettings
from .section import Section as Section
from .stores import StoresSettings as StoresSettings
from .web import SHORTEST_TOKEN as SHORTEST_TOKEN
from .web import WebSettings as WebSettings
from .web import checked_token as checked_token


class Settings(Section):
    """The whole configuration. `Settings()` is a working default: no model, local vectors if installed."""

    cognitive: CognitiveSettings = Field(default_factory=CognitiveSettings)
    models: ModelSettings = Field(default_factory=ModelSettings)
    stores: StoresSettings = Field(default_factory=StoresSettings)
    web: WebSettings = Field(default_factory=WebSettings)

    @property
    def query(self) -> QuerySettings:
        return self.cognitive.query

    @property
    def historian(self) -> HistorianSettings:
        return self.cognitive.historian


def walk(section: type[Section] = Settings, path: str = "") -> list[tuple[str, FieldInfo]]:
    """Return every key with its dotted path, section by section, plain keys before nested tables."""
    plain: list[tuple[str, FieldInfo]] = []
    nested: list[tuple[str, FieldInfo]] = []
    for name, info in section.model_fields.items():
        dotted = f"{path}.{name}" if path else name
        if isinstance(info.annotation, type) and issubclass(info.annotation, Section):
            nested.extend(walk(info.annotation, dotted))
        else:
            plain.append((dotted, info))
    return plain + nested

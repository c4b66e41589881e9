"""The chat model: structured output and usage, however a request is sent; and the configured one, on an endpoint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ...schema.errors import ContentDeclined, ModelAnswerUnusable, ModelError, ModelRested
from ...schema.protocols import Answer, Usage
from ...text.tokens import estimate_tokens
from ..endpoint import Endpoint, FormRejected, InputRejected, checked_endpoint, clean_text
from ..loop_clients import LoopClients
from ..usage import Reported, UsageMeter
from .answer_quality import REMEDY, AnswerQuality
from .answer_reading import is_cut_off, is_still_thinking
from .refused_parameters import LIMIT, RefusedParameters, adapted, needs_room, refused_parameter
from .structured_output import Method, MethodMemory, Question, ask_structured, request_parameters

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

    from ...schema.settings import ChatSettings
    from ..openai_client import TolerantChatOpenAI

PROBE_PURPOSE = "probe"
PROBE = (("user", "Say OK."),)


ROOM = 512
"""Tokens that an answer may have in addition to those of the question."""


def usual_length(answer: type[Answer], messages: Sequence[tuple[str, str]]) -> int:
    """Return the tokens that an answer to (role, content) messages takes at most, without the model's reasoning.

    Every form restates its input, so a model that writes far more is in a loop. A form may give its own bound in the class
    attribute `usual_tokens`.
    """
    given = sum(estimate_tokens(content) for _, content in messages)
    return ROOM + min(given, getattr(answer, "usual_tokens", given))


class StructuredChat(ABC):
    """What is alike in every `ChatModel` (see schema/protocols): one answer of a given form, and its usage."""

    endpoint: Endpoint

    def __post_init__(self) -> None:
        self._usage = UsageMeter()
        self._memory = MethodMemory()
        self._quality = AnswerQuality(self.endpoint.name)

    @property
    def model(self) -> str:
        return self.endpoint.model

    async def structured(self, answer: type[Answer], *, purpose: str, system: str, user: str) -> Answer:
        """Return one answer in the form of `answer`. Each request has its own time limit.

        Raises ModelUnavailable, ModelRefused, ModelAnswerUnusable, or ModelRested without a request.
        """
        if rest := self._quality.resting().get(purpose):
            raise ModelRested(f"{self.endpoint.name} is not asked to {purpose} for {rest / 60:.0f} min: {REMEDY}")
        ask = partial(self._ask, answer, purpose)
        texts = {"system": clean_text(system), "user": clean_text(user)}
        try:
            return await ask_structured(ask, self._memory, answer, who=self.endpoint.name, **texts)
        except ModelError as error:
            self._usage.count(purpose, refused_by_provider=isinstance(error, ContentDeclined))
            if type(error) is ModelAnswerUnusable:
                self.judged(purpose, taken=0, refused=1)
            error.args = (self.endpoint.secrets.mask(str(error)),)  # a refusal is told in the model's own words
            raise

    def usage(self) -> Mapping[str, Usage]:
        return self._usage.by_purpose()

    def judged(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer that its checks took and refused; where most are refused the model is rested."""
        self._usage.count(purpose, taken=taken, refused=refused)
        self._quality.judged(purpose, taken=taken, refused=refused)

    def resting(self) -> Mapping[str, float]:
        """Return the seconds that the model is rested, by purpose."""
        return self._quality.resting()

    @abstractmethod
    async def _ask(self, answer: type[Answer], purpose: str, question: Question) -> AIMessage:
        """Send a question for an `answer`. Raises HistorianError alone."""


def note_tokens(reported: Reported, message: AIMessage) -> None:
    """Note the tokens that a message tells of."""
    if tokens := message.usage_metadata:
        reported.note(tokens.get("input_tokens"))
        reported.answered = tokens.get("output_tokens") or 0


def make_chat_model(settings: ChatSettings, *, section: str = "models.chat") -> OpenAIChatModel | None:
    """Return the chat model of `settings`, or None where no model is named. `section` is the name used in messages.

    Raises SettingsError where a model is named without an endpoint. Nothing is sent, and the client library is imported
    with the first call.
    """
    model = settings.model.strip()
    if not model:
        return None
    return OpenAIChatModel(
        checked_endpoint(section, settings.base_url.strip(), model, settings.api_key, settings.extra_body),
        temperature=settings.temperature,
        timeout_seconds=settings.timeout_seconds,
        extra_body=settings.extra_body,
        max_answer_tokens=settings.max_answer_tokens,
    )


@dataclass(eq=False, repr=False)
class OpenAIChatModel(StructuredChat):
    """A `ChatModel` on an OpenAI-compatible endpoint. Safe to use from several event loops."""

    endpoint: Endpoint
    _: KW_ONLY
    temperature: float | None
    timeout_seconds: float
    extra_body: dict[str, Any]
    max_answer_tokens: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._clients = LoopClients(self._open)
        self._has_answered = False
        self._needs_room = False
        self._refused = RefusedParameters(self.endpoint.name)

    @property
    def methods(self) -> Mapping[str, Method]:
        """The method that worked last, by the name of the form."""
        return dict(self._memory.worked)

    async def _ask(self, answer: type[Answer], purpose: str, question: Question) -> AIMessage:
        most = self.max_answer_tokens
        usual = most if self._needs_room else min(most, usual_length(answer, question.messages))
        ask = partial(self._request, purpose, question.messages, request_parameters(question))
        try:
            message = await ask(usual)
        except FormRejected as error:
            if usual == most or not needs_room(error):
                raise
        else:
            if usual == most or not (is_cut_off(message) and is_still_thinking(message)):
                return message
        self._needs_room = True
        return await ask(most)

    async def probe(self) -> None:
        """Ask for one token. Raises ModelUnavailable or ModelRefused where a real call would fail too."""
        try:
            await self._request(PROBE_PURPOSE, PROBE, {}, 1)
        except FormRejected:
            # Reasoning models reject a limit that they cannot think within.
            await self._request(PROBE_PURPOSE, PROBE, {}, 0)

    async def aclose(self) -> None:
        await self._clients.aclose()

    def _open(self) -> tuple[TolerantChatOpenAI, Any]:
        from ..openai_client import chat_client

        return chat_client(self.endpoint, self.timeout_seconds)

    async def _request(self, purpose: str, messages: Any, parameters: Mapping[str, Any], most_tokens: int) -> AIMessage:
        """Request an answer of at most `most_tokens` (0: no limit). What the server refuses of the parameters is left out.

        Raises HistorianError alone.
        """
        body = {**self.extra_body, **parameters}
        body |= {"temperature": self.temperature} if self.temperature is not None else {}
        body |= {LIMIT: most_tokens} if most_tokens else {}
        refused = dict(self._refused.known)
        while True:
            try:
                message = await self._send(purpose, messages, adapted(body, refused))
            except (FormRejected, InputRejected) as error:
                name = refused_parameter(error, body, refused)
                if name is None:
                    raise
                refused[name] = refused.get(name, 0) + 1
            else:
                self._refused.told(refused)
                return message

    async def _send(self, purpose: str, messages: Any, body: dict[str, Any]) -> AIMessage:
        """Send one request within the time limit and count it. Raises HistorianError alone."""
        client = await self._clients.get()
        from ..openai_client import translated_errors

        limited = translated_errors(self.endpoint, self.timeout_seconds, has_answered=self._has_answered)
        async with self._usage.call(purpose) as reported, limited:
            # All parameters go this way: as arguments of its own the client would rename the limit, or parse a
            # `response_format` itself, fail on truncated JSON, and lose what the model said.
            message = await client.ainvoke(list(messages), {"run_name": f"historian {purpose}"}, extra_body=body)
            note_tokens(reported, message)
        self._has_answered = True
        return message

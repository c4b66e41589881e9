"""The chat model: a LangChain model with structured output, usage counts and refused parameters.

The LangChain model is made from the settings, or given by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ...schema.errors import ContentDeclined, ModelAnswerUnusable, ModelError, ModelRested
from ...schema.protocols import Answer, Usage
from ...text.tokens import estimate_tokens
from ..calls import translated
from ..endpoint import Endpoint, FormRejected, InputRejected, checked_endpoint, clean_text
from ..loop_clients import Closable, LoopClients
from ..usage import UsageMeter
from .answer_quality import REMEDY, AnswerQuality
from .answer_reading import is_cut_off, is_still_thinking
from .refused_parameters import (
    needs_room,
    parameters_of,
    refused_parameter,
    remember,
    without_refused,
)
from .structured_output import Method, MethodMemory, Question, ask_structured, runnable_of

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import Runnable

    from ...schema.settings import ChatSettings

Messages = Sequence[tuple[str, str]]
"""Messages as (role, content)."""

PROBE_PURPOSE = "probe"
PROBE = (("user", "Say OK."),)


ROOM = 512
"""Number of tokens that an answer may have more than its question."""


def usual_length(answer: type[Answer], messages: Sequence[tuple[str, str]]) -> int:
    """Return the maximum number of tokens of a normal answer to `messages`, without reasoning.

    Every form restates its input, so a model that writes far more is in a loop. A form may set a
    lower limit in the class attribute `usual_tokens`.
    """
    given = sum(estimate_tokens(content) for _, content in messages)
    return ROOM + min(given, getattr(answer, "usual_tokens", given))


@dataclass(eq=False, repr=False)
class LangChainChatModel:
    """A `ChatModel` (see schema/protocols) over any LangChain chat model.

    Safe to use from several event loops; `models` returns the model of each loop. `timeout_seconds`
    is the time limit of a request, `most_tokens` the token limit of an answer (0: no limit).
    """

    endpoint: Endpoint
    models: LoopClients[BaseChatModel]
    timeout_seconds: float
    most_tokens: int = 0

    def __post_init__(self) -> None:
        self._usage = UsageMeter()
        self._memory = MethodMemory()
        self._quality = AnswerQuality(self.endpoint.name)
        self._refused: dict[str, int] = {}
        self._has_answered = False
        self._needs_room = False

    @property
    def model(self) -> str:
        return self.endpoint.model

    @property
    def methods(self) -> Mapping[str, Method]:
        """The method that starts the next question, by the name of the form."""
        return dict(self._memory.worked)

    async def structured(
        self, answer: type[Answer], *, purpose: str, system: str, user: str
    ) -> Answer:
        """Return one answer in the form of `answer`. Each request has its own time limit.

        Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable. If the model is rested for
        this purpose, raises ModelRested without sending a request.
        """
        if rest := self._quality.resting().get(purpose):
            raise ModelRested(
                f"{self.endpoint.name} is not asked to {purpose} for {rest / 60:.0f} min: {REMEDY}"
            )
        ask = partial(self._ask, answer, purpose)
        texts = {"system": clean_text(system), "user": clean_text(user)}
        try:
            return await ask_structured(ask, self._memory, answer, who=self.endpoint.name, **texts)
        except ModelError as error:
            self._usage.count(purpose, refused_by_provider=isinstance(error, ContentDeclined))
            if type(error) is ModelAnswerUnusable:
                self.judged(purpose, taken=0, refused=1)
            error.args = (self.endpoint.secrets.mask(str(error)),)  # a refusal quotes the model
            raise

    async def probe(self) -> None:
        """Ask for one token. Raises ModelUnavailable or ModelRefused if real calls would fail."""
        question = Question(PROBE, Method.TEXT, None)
        try:
            await self._request(PROBE_PURPOSE, question, min(1, self.most_tokens))
        except FormRejected:
            # Reasoning models reject a token limit that leaves no room for reasoning.
            await self._request(PROBE_PURPOSE, question, 0)

    def usage(self) -> Mapping[str, Usage]:
        return self._usage.by_purpose()

    def judged(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer. The model is rested if most of its items are refused."""
        self._usage.count(purpose, taken=taken, refused=refused)
        self._quality.judged(purpose, taken=taken, refused=refused)

    def resting(self) -> Mapping[str, float]:
        """Return the remaining seconds of rest, by purpose."""
        return self._quality.resting()

    async def aclose(self) -> None:
        await self.models.aclose()

    async def _ask(self, answer: type[Answer], purpose: str, question: Question) -> AIMessage:
        """Send a question for an `answer` with the usual token limit.

        If the model used this limit up for reasoning, send the question again with the full limit,
        and use the full limit from then on. Raises only HistorianError.
        """
        most = self.most_tokens
        usual = most if self._needs_room else min(most, usual_length(answer, question.messages))
        try:
            message = await self._request(purpose, question, usual)
        except FormRejected as error:
            if usual == most or not needs_room(error):
                raise
        else:
            if usual == most or not (is_cut_off(message) and is_still_thinking(message)):
                return message
        self._needs_room = True
        return await self._request(purpose, question, most)

    async def _request(self, purpose: str, question: Question, most_tokens: int) -> AIMessage:
        """Request an answer of at most `most_tokens` (0: no limit).

        Parameters that the server refuses are sent in another form or left out, and the request is
        repeated. Raises only HistorianError.
        """
        model = await self.models.get()
        if most_tokens:
            model = model.model_copy(update={"max_tokens": most_tokens})
        refused = dict(self._refused)
        while True:
            asked = partial(
                runnable_of, without_refused(model, refused) if refused else model, question
            )
            try:
                message = await self._send(
                    purpose, partial(asked, refused.get("tool_choice", 0)), question.messages
                )
            except (FormRejected, InputRejected) as error:
                name = refused_parameter(error, parameters_of(model), refused)
                if name is None:
                    raise
                refused[name] = refused.get(name, 0) + 1
            else:
                remember(self.endpoint.name, self._refused, refused)
                return message

    async def _send(
        self, purpose: str, asked: Callable[[], Runnable[Any, Any]], messages: Messages
    ) -> AIMessage:
        """Send one request within the time limit and count it. Raises only HistorianError."""
        limited = translated(self.endpoint, self.timeout_seconds, has_answered=self._has_answered)
        async with self._usage.call(purpose) as reported, limited:
            message = await asked().ainvoke(list(messages), {"run_name": f"historian {purpose}"})
            if isinstance(message, Mapping):  # a result of `with_structured_output`
                message = message.get("raw")
            if not hasattr(message, "tool_calls"):
                raise FormRejected(f"{self.endpoint.name} gives no message with a JSON schema.")
            if tokens := message.usage_metadata:
                reported.note(tokens.get("input_tokens"))
                reported.answered = tokens.get("output_tokens") or 0
        self._has_answered = True
        return cast("AIMessage", message)


def make_chat_model(
    settings: ChatSettings, *, section: str = "models.chat"
) -> LangChainChatModel | None:
    """Return the chat model of `settings`, or None if no model is named.

    `section` is the settings section that messages name. Raises SettingsError if a model is named
    without an endpoint. No request is sent, and the client library is imported at the first call.
    """
    model = settings.model.strip()
    if not model:
        return None
    endpoint = checked_endpoint(
        section, settings.base_url.strip(), model, settings.api_key, settings.extra_body
    )

    def opened() -> tuple[BaseChatModel, Closable]:
        from ..openai_client import chat_client

        return chat_client(endpoint, settings.timeout_seconds, settings.temperature)

    return LangChainChatModel(
        endpoint, LoopClients(opened), settings.timeout_seconds, settings.max_answer_tokens
    )

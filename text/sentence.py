"""A text of a conversation with the results of the rules for it, each computed once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..schema.language import Language, LanguageChoice
from ..schema.names import Names
from .edits import Edit, edited
from .language import detect_language, is_other_language
from .piecewise import pieces
from .protected import Span, merge_spans, moved, protected_spans
from .references.antecedents import antecedents
from .references.finding import deictic_words, is_deictic_name
from .references.people import Mention, find_people
from .references.types import Reference
from .time_expressions.finding import detect
from .time_expressions.reading import TimeToken

NOBODY = Names()


class Sentence:
    """A text with the names of its conversation, and with the references, people and times in it.

    These are found on first use. All offsets are characters of `text`, ends exclusive. `choice` is
    the chosen language, or "auto" for the language of the text. A sentence is immutable: `edited`
    returns an edited copy, `beside` another text of the same conversation.
    """

    def __init__(self, text: str, names: Names = NOBODY, language: LanguageChoice = "auto") -> None:
        self.text = text
        self.names = names
        self.choice: LanguageChoice = language

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """The names and glossary of the conversation, without names that are pronouns (我, here)."""
        both = (self.names.group(language) for language in ("zh", "en"))
        raw = (*self.names.everybody, self.names.group_name, *both, *self.names.glossary)
        words = dict.fromkeys((*raw, *(" ".join(name.split()) for name in raw)))
        return tuple(word for word in words if word.strip() and not is_deictic_name(word))

    @cached_property
    def protected(self) -> list[Span]:
        """The spans that are not read as prose.

        These are quotations, code, addresses, and the names and glossary of the conversation.
        """
        return protected_spans(self.text, self._words)

    @cached_property
    def is_other_language(self) -> bool:
        """True if the text is neither English nor Chinese. False if a language was chosen."""
        return self.choice == "auto" and is_other_language(self.text, ignore=self.protected)

    @cached_property
    def language(self) -> Language:
        """The chosen language, or the language of the text without its protected spans."""
        return (
            detect_language(self.text, ignore=self.protected)
            if self.choice == "auto"
            else self.choice
        )

    @cached_property
    def people(self) -> list[Mention]:
        """The persons named in the text, of the conversation and others, in text order."""
        known = tuple(name for name in self.names.everybody if not is_deictic_name(name))
        return find_people(self.text, known, self.protected)

    @cached_property
    def times(self) -> list[TimeToken]:
        """The relative times in the text, in text order."""
        return detect(self.text, self.protected, self.choice)

    @cached_property
    def references(self) -> list[Reference]:
        """The pronouns, stand-ins and places in the text, in text order.

        Third-person references have their possible antecedents.
        """
        found = deictic_words(self.text, self.protected, self.choice)
        if found and self.is_other_language:
            return []
        if any(one.form == "that_one" for one in found):
            ends = {one.end for one in self.people}  # 小王这个人: the name directly precedes it
            found = [one for one in found if one.form != "that_one" or one.start not in ends]
        return [self._with_antecedents(one) for one in found]

    def _with_antecedents(self, reference: Reference) -> Reference:
        if reference.person != "third":
            return reference
        return antecedents(self.text, reference, self.people, self.names.bot_name)

    def beside(self, text: str) -> Sentence:
        """Return `text` as a sentence of the same conversation."""
        if text == self.text:
            return self
        other = Sentence(text, self.names, self.choice)
        other._words = self._words
        return other

    def beginning(self, length: int) -> Sentence:
        """Return the first `length` characters of the text at most, cut between words."""
        return self.beside(next(pieces(self.text, length)))

    def edited(self, edits: Sequence[Edit]) -> Sentence:
        """Return the sentence with `edits`, which are in order and do not overlap.

        Protected spans remain protected. Names and quotations in the new words are protected too.
        """
        if not edits:
            return self
        other = self.beside(edited(self.text, edits))
        written, shift = list[Span](), 0
        for start, end, new in edits:
            written += (
                (start + shift + a, start + shift + b) for a, b in protected_spans(new, self._words)
            )
            shift += len(new) - (end - start)
        other.protected = merge_spans([*moved(self.protected, edits), *written])
        return other


def as_sentence(
    text: str | Sentence, names: Names = NOBODY, language: LanguageChoice = "auto"
) -> Sentence:
    """Return a text as a sentence; return a sentence unchanged."""
    return text if isinstance(text, Sentence) else Sentence(text, names, language)

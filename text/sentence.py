"""A text of a conversation with all that the rules read in it, each thing found once."""

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
from .time_expressions.reading import Found

NOBODY = Names()


class Sentence:
    """A text with the names of its conversation and what is found in it when it is first asked for.

    All offsets are characters of `text`, ends exclusive. `choice` is the language that was chosen, "auto" for that of the text.
    A sentence is never changed: `edited` returns the same with other words in some places, `beside` another text of the same
    conversation.
    """

    def __init__(self, text: str, names: Names = NOBODY, language: LanguageChoice = "auto") -> None:
        self.text = text
        self.names = names
        self.choice: LanguageChoice = language

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """The names and the glossary of the conversation, which are read as names; without names that are pronouns (我, here)."""
        both = (self.names.group(language) for language in ("zh", "en"))
        raw = (*self.names.everybody, self.names.group_name, *both, *self.names.glossary)
        words = dict.fromkeys((*raw, *(" ".join(name.split()) for name in raw)))
        return tuple(word for word in words if word.strip() and not is_deictic_name(word))

    @cached_property
    def protected(self) -> list[Span]:
        """Where nothing is read as prose: quotations, code, addresses, and the names and glossary of the conversation."""
        return protected_spans(self.text, self._words)

    @cached_property
    def is_other_language(self) -> bool:
        """True for a text that is neither English nor Chinese, of which nothing is read; False where a language was chosen."""
        return self.choice == "auto" and is_other_language(self.text, ignore=self.protected)

    @cached_property
    def language(self) -> Language:
        """The language of the text, its names aside."""
        return detect_language(self.text, ignore=self.protected) if self.choice == "auto" else self.choice

    @cached_property
    def people(self) -> list[Mention]:
        """The persons named in the text, those of the conversation and others, in order."""
        known = tuple(name for name in self.names.everybody if not is_deictic_name(name))
        return find_people(self.text, known, self.protected)

    @cached_property
    def times(self) -> list[Found]:
        """The relative times of the text, in order."""
        return detect(self.text, self.protected, self.choice)

    @cached_property
    def references(self) -> list[Reference]:
        """The pronouns, stand-ins and places of the text in order, those of a third person with the people named before them."""
        found = deictic_words(self.text, self.protected, self.choice)
        if found and self.is_other_language:
            return []
        if any(one.form == "that_one" for one in found):
            ends = {one.end for one in self.people}  # 小王这个人: the name stands beside it
            found = [one for one in found if one.form != "that_one" or one.start not in ends]
        return [self._with_antecedents(one) for one in found]

    def _with_antecedents(self, reference: Reference) -> Reference:
        if reference.person != "third":
            return reference
        return antecedents(self.text, reference, self.people, self.names.bot_name)

    def beside(self, text: str) -> Sentence:
        """Return another text of the same conversation."""
        if text == self.text:
            return self
        other = Sentence(text, self.names, self.choice)
        other._words = self._words
        return other

    def beginning(self, length: int) -> Sentence:
        """Return the first piece of a text, cut between words; the text itself if it has at most `length` characters."""
        return self.beside(next(pieces(self.text, length)))

    def edited(self, edits: Sequence[Edit]) -> Sentence:
        """Return the sentence with `edits`, which are in order and do not overlap.

        What was protected stays so, and so is what the edits write of names and quotations.
        """
        if not edits:
            return self
        other = self.beside(edited(self.text, edits))
        written, shift = list[Span](), 0
        for start, end, new in edits:
            written += ((start + shift + a, start + shift + b) for a, b in protected_spans(new, self._words))
            shift += len(new) - (end - start)
        other.protected = merge_spans([*moved(self.protected, edits), *written])
        return other


def as_sentence(text: str | Sentence, names: Names = NOBODY, language: LanguageChoice = "auto") -> Sentence:
    """Return a text as a sentence; a sentence as it is."""
    return text if isinstance(text, Sentence) else Sentence(text, names, language)

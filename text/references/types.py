"""The reference type: a word whose person or place depends on the conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["pronoun", "reference", "place"]
Person = Literal["first", "second", "third", "none"]
Item = Literal["action", "fact"]
Gender = Literal["male", "female", "thing", ""]


@dataclass(frozen=True, slots=True)
class Reference:
    """One deictic word of a text.

    `kind` is "pronoun" (我, he), "reference" (a stand-in for a person: 对方, the user) or "place"
    (这里, over there). `start` and `end` are character offsets, the end exclusive. `person` is the
    grammatical person, "none" for places. `gender` is the gender of the word itself; "thing" for
    它. `form` is the grammatical form for the rewriter ("singular", "possessive", "group", "here",
    …). `antecedents` are the matching persons named before a third-person word in the same text; if
    there is exactly one, the word is understood out of context. `anchored` is True if the text
    makes the referent clear although no person is named ("the cats … they").
    """

    kind: Kind
    text: str
    start: int
    end: int
    person: Person = "none"
    plural: bool = False
    gender: Gender = ""
    form: str = ""
    antecedents: tuple[str, ...] = ()
    anchored: bool = False

    @property
    def is_somebody(self) -> bool:
        """True for a word for a single third person: he, 对方, the user."""
        return self.person == "third" and not self.plural and self.gender != "thing"

    @property
    def is_he_or_she(self) -> bool:
        """True for a pronoun for a single third person."""
        return self.kind == "pronoun" and self.is_somebody


@dataclass(frozen=True, slots=True)
class Cast:
    """The referents of the grammatical persons of one text.

    `first` and `second` are the names for "I" and "you"; if a name is "", the word is not replaced.
    With `together`, "we" is the bot and the user. If `third` is False, "he" or "she" is not the
    user by default. If `stand_in` is False, nor is a stand-in (对方, "the user").
    """

    first: str = ""
    second: str = ""
    together: bool = False
    third: bool = True
    stand_in: bool = True

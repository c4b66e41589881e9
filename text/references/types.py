"""What a reference is: a word that means somebody or some place only to those who were there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["pronoun", "reference", "place"]
Person = Literal["first", "second", "third", "none"]
Gender = Literal["male", "female", "thing", ""]


@dataclass(frozen=True, slots=True)
class Reference:
    """One deictic word of a text.

    `kind` is "pronoun" (我, he), "reference" (a stand-in for a person: 对方, the user) or "place" (这里, over there).
    `start` and `end` are character offsets, the end exclusive. `person` is whom it speaks of, "none" for places.
    `gender` is what the word itself shows; "thing" for 它. `form` says which word of its family it is ("singular",
    "possessive", "group", "here", …), as the rewriter needs it. `antecedents` are the persons, as they are written,
    who stand before a third-person word in the same text and fit it: with exactly one the text is true out of context.
    `anchored` tells that the text itself says what is meant although no person is named ("the cats … they").
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

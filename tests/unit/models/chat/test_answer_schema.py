"""The compact forms in which a class is shown to a model."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from historian.models.chat.answer_schema import answer_form
from pydantic import BaseModel, ConfigDict, Field


class Profile(BaseModel):
    """For programmers."""

    name: str = Field(default="", title="Name", max_length=100)
    tags: list[str] = Field(default_factory=list, description="up to eight words")


class UpdateBoth(BaseModel):
    """Hand in
    the profiles.

    More for programmers.
    """

    user: Profile | None = Field(default=None, description="the person")
    group: Profile | None = None
    mood: Literal["good", "bad"] = "good"


class Titled(BaseModel):
    model_config = ConfigDict(title="hand_in")

    texts: Annotated[list[str], Field(min_length=3, max_length=3)]
    many: Annotated[list[int], Field(max_length=1000)] = []


class Tree(BaseModel):
    children: list[Tree] = []


def test_the_tool_holds_what_a_model_needs_and_no_more() -> None:
    form = answer_form(UpdateBoth)
    profile = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "description": "up to eight words",
            },
        },
    }
    assert form.tool == {
        "type": "function",
        "function": {
            "name": "update_both",
            "description": "Hand in the profiles.",
            "parameters": {
                "type": "object",
                "properties": {
                    "user": {**profile, "description": "the person"},
                    "group": profile,
                    "mood": {"type": "string", "enum": ["good", "bad"]},
                },
            },
        },
    }
    assert len(json.dumps(form.schema)) < len(json.dumps(UpdateBoth.model_json_schema())) / 1.5


def test_a_title_names_the_tool_and_small_list_limits_stay() -> None:
    form = answer_form(Titled)
    assert form.name == "hand_in"
    assert form.schema["properties"]["texts"] == {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 3,
        "maxItems": 3,
    }
    assert "maxItems" not in form.schema["properties"]["many"]
    assert form.schema["required"] == ["texts"]


def test_the_shape_is_one_line_a_person_can_read() -> None:
    assert answer_form(UpdateBoth).shape == (
        '{"user"?: {"name"?: string, "tags"?: [string, …] (up to eight words)} (the person), '
        '"group"?: {"name"?: string, "tags"?: [string, …] (up to eight words)}, "mood"?: "good" | "bad"}'
    )


def test_a_class_that_contains_itself_is_unfolded_once() -> None:
    assert answer_form(Tree).schema["properties"]["children"]["items"] == {"type": "object"}

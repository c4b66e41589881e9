"""A model that summarises, digests and reconstructs sensibly: it gives back what it was told, in the form asked for."""

from __future__ import annotations

import re

from support.servers.openai_answers import Json, echo_responder, form_asked_for

SECTIONS = ("bedrock", "evolutionary", "dynamic")


def reflection_responder(request: Json) -> Json:
    """The answer to one of the reflection graph's questions; to others as `echo_responder`."""
    question = next((str(one["content"]) for one in request.get("messages", []) if one.get("role") == "user"), "")
    asked = form_asked_for(request)
    if asked == "summarise_states":
        said = question.split(":\n", 1)[-1].split("：\n", 1)[-1].splitlines()[-8:]
        return {"summary": "\n".join(in_the_third_person(line) for line in said)}
    if asked == "digest":
        news = bullets(question.split("\n\n")[-1])
        return {"significant": True, "points": [{"text": one, "chapter": "Dynamic"} for one in news[-6:]]}
    if asked == "reconstruct":
        old, _, news = question.partition("\n\n")
        chapters = chapters_in(old)
        chapters["dynamic"] += [one for one in bullets(news.split("\n\n")[0]) if one not in chapters["dynamic"]]
        return {**chapters, "dropped": []}
    return echo_responder(request)


def in_the_third_person(line: str) -> str:
    """What was said by "Ann: … I …" as a statement about Ann."""
    found = re.match(r"(?:\d{4}-\d{2}-\d{2} )?(?P<name>[^:]+): (?P<said>.*)", line)
    return re.sub(r"\bI\b", found["name"], found["said"]) if found else line


def bullets(text: str) -> list[str]:
    """The list items of a text."""
    return [line.removeprefix("- ").strip() for line in text.splitlines() if line.startswith("- ")]


def chapters_in(text: str) -> dict[str, list[str]]:
    """The old chapters as a reconstruction is shown them."""
    found: dict[str, list[str]] = {name: [] for name in SECTIONS}
    current = ""
    for line in text.splitlines():
        if line.rstrip(":：") in SECTIONS:
            current = line.rstrip(":：")
        elif current and line.startswith("- "):
            found[current].append(line.removeprefix("- ").strip())
    return found

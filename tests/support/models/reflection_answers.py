"""A model that summarises and reconstructs sensibly: it gives back what it was told, in the form asked for."""

from __future__ import annotations

import re

from support.servers.openai_answers import Json, echo_responder, form_asked_for


def reflection_responder(request: Json) -> Json:
    """The answer to one of the reflection graph's questions; to others as `echo_responder`."""
    question = next(
        (str(one["content"]) for one in request.get("messages", []) if one.get("role") == "user"),
        "",
    )
    asked = form_asked_for(request)
    if asked == "summarise_states":
        said = question.split(":\n", 1)[-1].split("：\n", 1)[-1].splitlines()[-8:]
        return {"summary": "\n".join(in_the_third_person(line) for line in said)}
    if asked == "reconstruct":
        old, _, news = question.partition("\n\n")
        known = {line.partition(": ")[2] for line in old.splitlines()}
        told = [
            line.partition(": ")[2]
            for line in news.split("\n\n")[0].splitlines()
            if re.match(r"N\d+: ", line)
        ]
        return {
            "lines": [{"text": one, "chapter": "Dynamic"} for one in told if one not in known],
            "dropped": [],
        }
    return echo_responder(request)


def in_the_third_person(line: str) -> str:
    """What was said by "Ann: … I …" as a statement about Ann."""
    found = re.match(r"(?:\d{4}-\d{2}-\d{2} )?(?P<name>[^:]+): (?P<said>.*)", line)
    return re.sub(r"\bI\b", found["name"], found["said"]) if found else line

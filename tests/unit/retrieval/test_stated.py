"""Messages of which statements were made."""

from historian.retrieval.stated import stated_messages
from support.events import make_event


def test_a_message_is_told_by_a_statement_of_its_moment_that_holds_most_of_its_words() -> None:
    statement = make_event("j1-0", 0, text="阿明的老婆是护士，经常上夜班")
    said = ["阿明: 我老婆是护士，经常上夜班", "阿红: 我到家了"]
    messages = [make_event(f"observation-{n}", 0, text=text, source="observation") for n, text in enumerate(said)]
    later = make_event("observation-2", 1, text=said[0], source="observation")
    assert stated_messages([messages[0], statement, messages[1], later]) == {messages[0].event_id}
    assert stated_messages([*messages, later]) == set()

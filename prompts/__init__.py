"""The questions put to a chat model: templates, the messages built of them, the forms of the answers."""

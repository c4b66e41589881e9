"""The questions to a chat model: templates, the messages made from them, and the answer forms."""

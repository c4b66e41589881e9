"""Classes of characters that several patterns share."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
"""Chinese characters, for use between square brackets."""

QUOTE = r"\\{0,4}[\"'`]"
"""A quotation mark of programs, escaped or not."""

SYMBOLS = frozenset("!@#$%^&*+~?")
"""What people put into passwords between letters and figures."""

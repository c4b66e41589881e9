"""Text of articles: markup, rules, checks."""

"""Speakers of texts, names of people, mentions and claims."""

"""Commands on profiles, articles and summaries, and on corrections of profiles."""

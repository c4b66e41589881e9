"""What is away: which model does not answer, and when to ask it again."""

"""What a question asks for: the times that it names, and whether it is about former times."""

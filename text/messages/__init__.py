"""Messages as records: their times, their parts that nobody said, those of earlier versions."""

"""What a bot holds in its hand, and the worker behind it."""

"""What all tests share."""

import os

os.environ["HISTORIAN_LANGUAGE"] = "en"  # whoever runs the tests, and whatever their language: tests say so where it is another

"""The version of this package."""

VERSION = "0.1.0"
"""Events note it, so that what earlier versions wrote can be written anew."""

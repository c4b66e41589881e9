"""The states of the historian graph and of the reflection graph."""

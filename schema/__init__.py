"""Types shared by all packages: settings, scopes, jobs, events, profiles, graph states, protocols, errors."""

VERSION = "0.1.0"
"""The version of this package. It is stored with every event, so that texts of earlier versions can be
found and rewritten.
"""

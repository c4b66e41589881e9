"""The words that all rooms share: settings, scopes, jobs, events, portraits, graph states, protocols, errors."""

"""The words that all rooms share: settings, scopes, jobs, events, profiles, graph states, protocols, errors."""

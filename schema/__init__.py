"""Types shared by all packages: settings, scopes, jobs, events, profiles, graph states, protocols, errors."""

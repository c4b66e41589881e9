"""The state graphs. The modules only connect nodes by edges; the nodes themselves are in `nodes`."""

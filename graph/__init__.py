"""The state graphs. The modules only connect nodes by edges; the nodes are in `nodes`."""

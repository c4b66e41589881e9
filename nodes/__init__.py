"""One file a node: small asynchronous functions `(state, runtime) -> update`."""

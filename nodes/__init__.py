"""The nodes of the graphs: asynchronous functions `(state, runtime) -> update`."""

"""The JSON API and the pages: an ASGI application over an open memory, and the server of `historian serve`."""

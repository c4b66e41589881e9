"""The JSON API and the web pages.

They are one ASGI application over an open memory. `server` serves it for `historian serve`.
"""

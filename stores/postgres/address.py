"""The address of a PostgreSQL server: the connection options of a schema, and a name without
password."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ...schema.errors import InvalidInput

_KEEPALIVES = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}


def read_address(key: str, url: str, schema: str, *, is_pooled: bool = False) -> tuple[str, str]:
    """Return the connection string with the options of a schema, and the address for messages.

    The address contains no password. With `is_pooled` the options are omitted: PgBouncer refuses a
    connection that has any. Raises InvalidInput, which does not repeat the address.
    """
    try:
        parts: dict[str, Any] = dict(conninfo_to_dict(url))
    except psycopg.Error:
        raise InvalidInput(
            f"{key}: not the address of a PostgreSQL database; write it like "
            "postgresql://user:password@host:5432/name"
        ) from None
    ours = "" if is_pooled else f"-c search_path={schema},public,extensions -c jit=off"
    options = " ".join(filter(None, (str(parts.get("options") or ""), ours)))
    whole: dict[str, Any] = {
        **_KEEPALIVES,
        "application_name": "historian",
        **parts,
        "options": options,
    }
    user = f"{parts['user']}@" if parts.get("user") else ""
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    port = f":{parts['port']}" if parts.get("port") else ""
    return make_conninfo(
        **whole
    ), f"postgresql://{user}{host}{port}/{parts.get('dbname') or ''}?schema={schema}"

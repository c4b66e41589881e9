"""Links between events: which one is over because of which later one. In a transaction of the caller.

A deleted event takes its links with it (a trigger): what it had superseded is over because of its own successor, or holds again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ...schema.event import EventLink
from .event_rows import AMONG, as_json
from .index_schema import SCOPE_SHIFT
from .scope_rows import count_removals

_ENDS = f"""
SELECT o.row, o.timestamp, n.timestamp, n.occurs_from FROM events o, events n
WHERE o.event_id = ? AND n.event_id = ? AND o.row != n.row AND o.row >> {SCOPE_SHIFT} = n.row >> {SCOPE_SHIFT}
 AND o.timestamp <= n.timestamp AND o.superseded_by = '' AND o.corrected_by = ''
"""
# The successors of an event, up to the last: none of them may be the event that it is to supersede.
_SUCCESSORS = """
WITH RECURSIVE later(event_id) AS (
    VALUES (?) UNION SELECT e.superseded_by FROM events e JOIN later ON e.event_id = later.event_id WHERE e.superseded_by != ''
    UNION SELECT e.corrected_by FROM events e JOIN later ON e.event_id = later.event_id WHERE e.corrected_by != ''
)
SELECT 1 FROM later WHERE event_id = ?
"""


def set_links(connection: sqlite3.Connection, links: Sequence[EventLink]) -> list[str]:
    """Make the links that may be made, in the order given, and count the changes. Return the ids of the older events."""
    changed: list[tuple[str, int]] = []
    for link in links:
        ends = connection.execute(_ENDS, (link.old, link.new)).fetchone()
        if ends is None or connection.execute(_SUCCESSORS, (link.new, link.old)).fetchone():
            continue
        row, before, after, occurs = ends
        if link.corrects:
            connection.execute("UPDATE events SET corrected_by = ? WHERE row = ?", (link.new, row))
        else:
            since = occurs if occurs is not None and before <= occurs <= after else after
            connection.execute("UPDATE events SET superseded_by = ?, superseded_at = ? WHERE row = ?", (link.new, since, row))
        changed.append((link.old, row))
    count_removals(connection, [row for _, row in changed])
    return [event_id for event_id, _ in changed]


def clear_links(connection: sqlite3.Connection, event_ids: Sequence[str]) -> int:
    """Let events hold again, and count the changes. Return how many were over."""
    found = connection.execute(
        "UPDATE events SET superseded_by = '', superseded_at = NULL, corrected_by = ''"
        f" WHERE event_id {AMONG} AND (superseded_by != '' OR corrected_by != '') RETURNING row",
        (as_json(event_ids),),
    ).fetchall()
    count_removals(connection, [row for (row,) in found])
    return len(found)

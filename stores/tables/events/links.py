"""Links between events: a later event supersedes or corrects an earlier one.

The functions run in a transaction of the caller. A trigger removes the links of a deleted event: an
event that it had superseded is then superseded by its own successor, or valid again.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....schema.event import EventLink
from ..engine import Transaction
from .rows import SCOPE_SHIFT, EventRows

_ENDS = f"""
SELECT o.row, o.timestamp, n.timestamp, n.occurs_from FROM events o, events n
WHERE o.event_id = %s AND n.event_id = %s AND o.row != n.row AND o.row >> {SCOPE_SHIFT} = n.row >> {SCOPE_SHIFT}
 AND o.timestamp <= n.timestamp AND o.superseded_by = '' AND o.corrected_by = ''
"""
# All successors of an event. The event that it is to supersede must not be among them.
_SUCCESSORS = """
WITH RECURSIVE later(event_id) AS (
    SELECT CAST(%s AS text) UNION
    SELECT n.event_id FROM later CROSS JOIN events e CROSS JOIN events n
    WHERE e.event_id = later.event_id AND n.event_id IN (e.superseded_by, e.corrected_by)
)
SELECT 1 FROM later WHERE event_id = %s
"""


def set_links(transaction: Transaction, events: EventRows, links: Sequence[EventLink]) -> list[str]:
    """Store the valid links, in the order given, and count the changes.

    Return the ids of the older events.
    """
    # The lock keeps others from storing links in these scopes, which could form a circle with
    # these.
    events.lock_scopes_of(transaction, {one for link in links for one in (link.old, link.new)})
    changed: list[tuple[str, int]] = []
    for link in links:
        ends = transaction.row(_ENDS, (link.old, link.new))
        if ends is None or transaction.row(_SUCCESSORS, (link.new, link.old)):
            continue
        row, before, after, occurs = ends
        if link.corrects:
            transaction.run("UPDATE events SET corrected_by = %s WHERE row = %s", (link.new, row))
        else:
            since = occurs if occurs is not None and before <= occurs <= after else after
            transaction.run(
                "UPDATE events SET superseded_by = %s, superseded_at = %s WHERE row = %s",
                (link.new, since, row),
            )
        changed.append((link.old, row))
    events.count_removals(transaction, [row for _, row in changed])
    return [event_id for event_id, _ in changed]


def clear_links(transaction: Transaction, events: EventRows, event_ids: Sequence[str]) -> int:
    """Make events valid again, and count the changes. Return the number of changed events."""
    found = transaction.rows(
        "UPDATE events SET superseded_by = '', superseded_at = NULL, corrected_by = ''"
        " WHERE event_id = ANY(%s) AND (superseded_by != '' OR corrected_by != '') RETURNING row",
        (list(event_ids),),
    )
    events.count_removals(transaction, [row for (row,) in found])
    return len(found)

ALTER TABLE events ADD COLUMN handed_over TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN said_by TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN occurs_from REAL;
ALTER TABLE events ADD COLUMN occurs_until REAL;
ALTER TABLE events ADD COLUMN superseded_by TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN superseded_at REAL;
ALTER TABLE events ADD COLUMN corrected_by TEXT NOT NULL DEFAULT '';
CREATE INDEX events_by_successor ON events (superseded_by) WHERE superseded_by != '';
CREATE INDEX events_by_correction ON events (corrected_by) WHERE corrected_by != '';
-- Former texts of events that were written anew, oldest first; deleted with their event.
CREATE TABLE event_revisions (
    row INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    text TEXT NOT NULL,
    is_absolute INTEGER NOT NULL,
    rewritten_by TEXT NOT NULL,
    replaced_at TEXT NOT NULL,
    PRIMARY KEY (row, revision)
) WITHOUT ROWID;
CREATE TRIGGER events_take_revisions AFTER DELETE ON events BEGIN
    DELETE FROM event_revisions WHERE row = old.row;
END;
